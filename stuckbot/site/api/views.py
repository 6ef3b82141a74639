"""The door of the API: every call goes through `ApiView`, every refusal comes out as one shape."""

import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.db import (
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    transaction,
)
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from rest_framework.views import APIView

from accounts.sign_in import refusal, sign_in
from accounts.usage import token_used
from stuckbot.lib import clock, ratelimit, strict_json
from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import (
    BadRequest,
    InProgress,
    Refusal,
    Stale,
    TooLarge,
    TooMany,
    TwinFinished,
    Unauthenticated,
    Unavailable,
    invalid_fields,
)
from stuckbot.lib.idempotency import (
    Answer,
    Keep,
    record_drop,
    record_find,
    running_mark,
    take_advisory_mark,
)
from stuckbot.lib.ratelimit import Allowance
from stuckbot.site.api.call import Call
from stuckbot.site.api.document import OperationSchema
from stuckbot.site.api.operations import EMPTY, JSON, Operation
from stuckbot.site.api.uploads import size_require, stream_of, upload_digest, upload_drain
from stuckbot.site.usecases.watchdog import agent_called

log = logging.getLogger("stuckbot.api")

BODY_BYTES: Final = 1_048_576
ATTEMPTS: Final = 6


class ApiView(APIView):
    """A path of the API with its operations by method.

    It keeps to REST framework for the API document; the call itself goes a shorter way, because
    bodies are checked by schema (strict about NaN, duplicate keys and depth) and refusals have
    one shape.
    """

    operations: ClassVar[Mapping[str, Operation]] = {}
    schema = OperationSchema()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        call = Call(request=request, now=clock.now(), args=kwargs)
        method = "GET" if request.method == "HEAD" else request.method or ""
        chosen = self.operations.get(method)
        try:
            if chosen is None:
                return self._not_allowed(call)
            response = respond(call, chosen)
        except Exception as error:
            response = refuse(call, error)
        if chosen is not None and chosen.upload and not call.raw:
            upload_drain(request)
        _limits_show(response, call.allowance)
        if request.method == "HEAD":
            response.headers["Content-Length"] = str(len(response.content))
            response.content = b""
        return response

    def _not_allowed(self, call: Call) -> HttpResponse:
        heads = {"HEAD"} if "GET" in self.operations else set()
        allowed = ", ".join(sorted({*self.operations, *heads}))
        error = Refusal(f"This address takes {allowed}.", code="method_not_allowed")
        error.status = 405
        response = refusal_response(call, error)
        response["Allow"] = allowed
        return response


def respond(call: Call, chosen: Operation) -> HttpResponse:
    """Signs in, counts, reads the body, and answers: from the record or by the handler."""
    _accept_check(call, chosen)
    _query_check(call, chosen)
    key = _key(call) if chosen.method == "POST" else None
    call.key = key if chosen.keyed else None
    if chosen.kinds is not None:
        _sign_in(call, chosen)
    else:
        _count(f"ip:{_address(call)}", chosen.cost)
    if chosen.upload:
        call.raw, size = upload_digest(call.request)
        size_require(size)
    elif chosen.method != "GET":
        call.raw = _raw(call)
    record = call.signed_in.record if call.signed_in is not None else None
    if record is not None and record.is_live(call.now):
        return _replayed(call, chosen)
    _still_valid(call)
    if record is not None:
        record_drop(call.actor.id, call.key or "")
    return _run(call, chosen)


def _run(call: Call, chosen: Operation) -> HttpResponse:
    try:
        if chosen.method != "GET" and not chosen.upload:
            call.body = _body(call)
            (chosen.body or EMPTY).require(call.body)
        result = _attempt(call, chosen)
    except TwinFinished:
        return _replayed(call, chosen)
    except Refusal as error:
        if not _is_kept(call, chosen, error):
            raise
        return _keep_refusal(call, chosen, error)
    return result if isinstance(result, HttpResponse) else answer_response(result)


def _attempt(call: Call, chosen: Operation) -> Any:
    """Runs the handler; a row that moved meanwhile is read again and decided anew."""
    for _ in range(ATTEMPTS):
        try:
            return chosen.handler(call)
        except (Stale, IntegrityError):
            call.now = max(call.now, clock.now())
    raise Unavailable("Others are changing the same ticket right now. Try again in a second.")


def _is_kept(call: Call, chosen: Operation, error: Refusal) -> bool:
    if call.key is None or not error.kept or call.signed_in is None:
        return False
    return chosen.conflicts_kept or error.status != 409


def _keep_refusal(call: Call, chosen: Operation, error: Refusal) -> HttpResponse:
    """A refusal the operation decided is its record, and its only write."""
    answer = Answer(error.status, json_bytes(envelope(call, error)))
    keep = Keep(
        org_id=call.actor.org_id,
        caller_id=call.actor.id,
        key=call.key,
        fingerprint=call.fingerprint,
        render=lambda _: answer,
    )
    try:
        with running_mark(keep), transaction.atomic():
            take_advisory_mark(keep)
            keep.record(answer, call.now)
    except TwinFinished:
        return _replayed(call, chosen)
    return answer_response(answer)


def _replayed(call: Call, chosen: Operation) -> HttpResponse:
    record = call.signed.record or record_find(call.actor.id, call.key or "")
    if record is None:
        raise InProgress
    answer = record.answer_to(call.fingerprint)
    if chosen.replay is not None and answer.status < 300:
        answer = chosen.replay(call)
    response = answer_response(answer)
    response["Idempotent-Replayed"] = "true"
    return response


def _sign_in(call: Call, chosen: Operation) -> None:
    header = call.header("Authorization")
    try:
        call.signed_in = sign_in(
            header, kinds=chosen.kinds or frozenset(), now=call.now, idempotency_key=call.key
        )
    except Unauthenticated:
        _count(f"ip:{_address(call)}", 1.0)
        raise
    refused = call.signed_in.refused
    # A retire whose answer was lost is repeated with the token that it revoked.
    if refused and not (chosen.id == "retire_agent" and call.signed_in.record):
        raise refusal(refused)
    if call.actor.token_id is not None:
        token_used(call.actor.token_id, call.now)
    agent_called(call.signed_in, call.now)
    call.allowance = ratelimit.spend(f"caller:{call.actor.id}", chosen.cost)
    _spent_check(call.allowance)


def _still_valid(call: Call) -> None:
    if call.signed_in is not None and call.signed_in.refused:
        raise refusal(call.signed_in.refused)


def _count(key: str, cost: float) -> None:
    _spent_check(ratelimit.spend(key, cost))


def _spent_check(allowance: Allowance | None) -> None:
    if allowance is not None and allowance.retry_after is not None:
        raise TooMany(
            f"Too many calls. Wait {allowance.retry_after} s and send it again.",
            retry_after=allowance.retry_after,
        )


def _address(call: Call) -> str:
    """The caller's address; behind proxies of ours the one that the outermost of them saw."""
    meta: dict[str, str] = call.request.META
    seen = [part.strip() for part in meta.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    proxies = settings.TRUSTED_PROXIES
    if proxies and len(seen) >= proxies and seen[-proxies]:
        return seen[-proxies]
    return meta.get("REMOTE_ADDR", "")


def _accept_check(call: Call, chosen: Operation) -> None:
    accept = call.header("Accept")
    if (
        chosen.media != JSON
        or not accept
        or "*/*" in accept
        or "json" in accept
        or "application/*" in accept
    ):
        return
    error = Refusal("This API answers JSON. Accept application/json.", code="not_acceptable")
    error.status = 406
    raise error


def _query_check(call: Call, chosen: Operation) -> None:
    """A parameter that nothing reads would be a filter that silently does nothing."""
    try:
        unknown = [name for name in call.request.GET if name not in chosen.query]
    except TooManyFieldsSent as error:
        raise invalid_fields([("", "Send fewer query parameters.")]) from error
    if unknown and chosen.kinds is not None:
        known = ", ".join(chosen.query) or "none"
        raise invalid_fields(
            [(name, f"There is no parameter {name} here. There is: {known}.") for name in unknown]
        )


def _key(call: Call) -> str | None:
    key = call.header("Idempotency-Key")
    if key is None:
        return None
    if not 1 <= len(key) <= 255 or any(not "!" <= char <= "~" for char in key):
        raise BadRequest(
            "Idempotency-Key must be 1 to 255 visible ASCII characters.", code="invalid_header"
        )
    return key


def _raw(call: Call) -> bytes:
    length = call.request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > BODY_BYTES:
        raise _too_large()
    try:
        raw: bytes = stream_of(call.request).read(BODY_BYTES + 1)
    except (UnreadablePostError, OSError) as error:
        raise BadRequest("The body did not arrive whole. Send it again.") from error
    if len(raw) > BODY_BYTES:
        raise _too_large()
    return raw


def _too_large() -> TooLarge:
    return TooLarge(f"The body must be under {BODY_BYTES:,} bytes. Put long logs in a file.")


def _body(call: Call) -> dict[str, Any]:
    """The JSON object of the body. An empty body is `{}` whatever its type."""
    if not call.raw.strip():
        return {}
    kind = (call.request.content_type or "").lower()
    if kind != "application/json" and not kind.endswith("+json"):
        error = Refusal("Send JSON with Content-Type: application/json.")
        error.status, error.code = 415, "unsupported_media_type"
        raise error
    try:
        value = strict_json.loads(call.raw)
    except strict_json.BadJSON as error:
        raise BadRequest(str(error)) from error
    if not isinstance(value, dict):
        raise invalid_fields([("", "The body must be a JSON object.")])
    return value


def answer_response(answer: Answer) -> HttpResponse:
    return HttpResponse(answer.body, status=answer.status, content_type="application/json")


def envelope(call: Call, error: Refusal) -> dict[str, Any]:
    body: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "request_id": call.request_id,
    }
    if error.details:
        body["details"] = error.details
    return {"error": body}


def refusal_response(call: Call, error: Refusal) -> HttpResponse:
    response = HttpResponse(
        json_bytes(envelope(call, error)),
        status=error.status,
        content_type="application/json",
    )
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def refuse(call: Call, error: Exception) -> HttpResponse:
    """The one place that turns what went wrong into an answer."""
    if isinstance(error, Refusal):
        return refusal_response(call, error)
    if isinstance(error, TwinFinished | Stale | OperationalError | InterfaceError):
        log.warning("database busy: %s", type(error).__name__)
        busy = Unavailable("The desk is busy. Send the same request again in a second.")
        return refusal_response(call, busy)
    if isinstance(error, DataError):
        log.warning("value out of range: %s", type(error).__name__)
        return refusal_response(call, invalid_fields([("", "A value is out of range.")]))
    log.exception("unexpected error")
    unexpected = Refusal(
        "Something went wrong here; nothing was changed. Tell the operator the request id.",
        code="internal_error",
    )
    unexpected.status = 500
    return refusal_response(call, unexpected)


def _limits_show(response: HttpResponse, allowance: Allowance | None) -> None:
    if allowance is not None:
        response["X-RateLimit-Limit"] = str(allowance.limit)
        response["X-RateLimit-Remaining"] = str(allowance.remaining)
        response["X-RateLimit-Reset"] = str(allowance.reset)
