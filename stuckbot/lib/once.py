"""A fresh secret, shown once: kept sealed in the session for minutes, gone when it was shown.

The POST that made it redirects to the page that shows it, so that loading the page again neither
makes a second one nor shows the first again.
"""

import json
from dataclasses import asdict, dataclass
from typing import Final

from django.http import HttpRequest

from stuckbot.lib import clock
from stuckbot.lib.sealing import Unreadable, text_open, text_seal

_KEY: Final = "shown_once"
_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret with the name of what it is for."""

    name: str
    text: str


def secret_put(request: HttpRequest, secret: Secret) -> None:
    """Keeps it for the next page of this session alone."""
    at = int(clock.now().timestamp())
    request.session[_KEY] = text_seal(json.dumps({**asdict(secret), "at": at}))


def secret_take(request: HttpRequest) -> Secret | None:
    """The secret, once; None when it was shown already, or nobody came for it in five minutes."""
    sealed = request.session.pop(_KEY, None)
    if sealed is None:
        return None
    try:
        kept = json.loads(text_open(sealed))
    except Unreadable:
        return None
    if clock.now().timestamp() - kept["at"] > _SECONDS:
        return None
    return Secret(kept["name"], kept["text"])
