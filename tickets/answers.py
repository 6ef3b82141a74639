"""What a solver says of a fix on submitting it: the outcome in words, and where the fix is."""

from collections.abc import Mapping
from typing import Any, Final

from stuckbot.lib.content import value_of

#: Where the fix is, beside the outcome.
RESOLUTION: Final = ("summary", "branch", "commit", "url")

#: `{outcome, resolution}` as answers go over the wire; both null where nothing was said.
Answer = dict[str, Any]


def answer_of(said: Mapping[str, Any] | None) -> Answer:
    """The parts of what is stored of an answer."""
    stored = dict(said or {})
    outcome = stored.pop("outcome", None)
    return {"outcome": outcome or None, "resolution": stored or None}


def answer_read(stored: bytes | memoryview | None, key_id: str | None) -> Answer:
    return answer_of(value_of(stored, key_id))
