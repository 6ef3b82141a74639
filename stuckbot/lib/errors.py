"""Refusals: what a service raises when it will not do what it was asked.

A refusal has a code of the API's table, one plain sentence that says what to do, and details.
Services raise these and know nothing of HTTP; the doors (API, pages, admin, commands) show them.
What a refusal says is masked: it may name what was sent (an unknown field, a command), and it is
kept under the request's idempotency key.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from stuckbot.lib.cutting import masked_cut
from stuckbot.lib.masking import mask_text, mask_value


class Refusal(Exception):
    """Base of every refusal. `status` is the number of the API's table for the code."""

    status = 422
    code = "invalid_request"
    #: The operation decided it, so a caller that repeats the key gets the same answer back.
    kept = False

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        self.message = mask_text(message).text
        super().__init__(self.message)
        self.code = code or type(self).code
        self.details: dict[str, Any] = mask_value(dict(details or {})).value
        self.retry_after = retry_after


class BadRequest(Refusal):
    status = 400
    code = "invalid_json"


class Unauthenticated(Refusal):
    status = 401
    code = "invalid_token"


class Forbidden(Refusal):
    status = 403
    code = "not_eligible"


class Missing(Refusal):
    """Not there, or of another org, or in a project the caller cannot read: the same words."""

    status = 404
    code = "not_found"
    kept = True

    def __init__(self, message: str = "There is nothing here by that id. Check the id.") -> None:
        super().__init__(message)


class Conflict(Refusal):
    status = 409
    code = "invalid_transition"
    kept = True


class LostRace(Conflict):
    """Somebody else holds it: a claim or continue that lost. Never kept for a replay."""

    code = "already_claimed"
    kept = False


class Invalid(Refusal):
    """What was sent cannot be used; `details.fields` names every problem with its path."""

    status = 422
    code = "invalid_request"
    kept = True


class TooLarge(Refusal):
    status = 413
    code = "too_large"


class TooMany(Refusal):
    status = 429
    code = "rate_limited"


class Unavailable(Refusal):
    status = 503
    code = "unavailable"

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message, retry_after=retry_after)


class InProgress(Conflict):
    """A twin of this request is still running."""

    code = "idempotency_in_progress"
    kept = False

    def __init__(self) -> None:
        super().__init__(
            "The same request is still running. Send it again in a second.", retry_after=1
        )


class Stale(Exception):
    """The row moved between the plain read and the write: read again and decide anew."""


class TwinFinished(Exception):
    """A twin of this request committed first: answer with its record."""


#: A refusal names this many faults at most, so that an answer stays smaller than the request.
FAULTS_SHOWN = 200


#: The code of a refusal that is for a name or word that must not be stored at all.
SECRET_REFUSED = "secret_refused"


def invalid_fields(faults: Iterable[tuple[str, str]], *, code: str | None = None) -> Invalid:
    """One refusal for all faults, each a (path, message) pair; past 200 it says how many more."""
    fields = [
        {"path": _short(path, 500), "message": _short(message, 1000)} for path, message in faults
    ]
    count = len(fields)
    if count > FAULTS_SHOWN:
        more = count - FAULTS_SHOWN
        fields = [*fields[:FAULTS_SHOWN], {"path": "", "message": f"And {more:,} more like these."}]
    if count == 1:
        return Invalid(fields[0]["message"], code=code, details={"fields": fields})
    message = f"{count} things need mending before this can be accepted: see details.fields."
    return Invalid(message, code=code, details={"fields": fields})


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else masked_cut(text, most)
