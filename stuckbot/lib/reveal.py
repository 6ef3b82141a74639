"""A fresh secret on its way to the one page that shows it: made by a POST, shown by a GET, once.

Between the two it travels in a sealed cookie of the person who made it, so that it lies in no
table, session or cache, and loading the page again neither makes another nor shows it again.
"""

import base64
import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

_COOKIE: Final = "shown_once"
_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page says: what it is, the secret, and where to go on."""

    title: str
    secret: str
    back: str


def reveal(request: HttpRequest, shown: Shown, *, page: str) -> HttpResponse:
    """Sends the person who made a secret on to the page that shows it."""
    sealed = {"user": str(request.user.pk), **asdict(shown)}
    response = HttpResponseRedirect(page)
    response.set_cookie(
        _COOKIE,
        _box().encrypt(json.dumps(sealed).encode()).decode(),
        max_age=_SECONDS,
        path=page,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def revealed(request: HttpRequest) -> Shown | None:
    """What is to be shown to this person now; None once it was, or two minutes later."""
    try:
        opened = _box().decrypt(request.COOKIES.get(_COOKIE, ""), ttl=_SECONDS)
    except InvalidToken:
        return None
    told = json.loads(opened)
    if told.pop("user") != str(request.user.pk):
        return None
    return Shown(**told)


def forget(response: HttpResponse, *, page: str) -> HttpResponse:
    """The answer that shows it takes the cookie along, and nothing keeps the answer."""
    response.delete_cookie(_COOKIE, path=page, samesite="Strict")
    response.headers["Cache-Control"] = "no-store"
    return response


def _box() -> Fernet:
    key = hashlib.sha256(b"stuckbot reveal once " + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
