"""Sealing what must lie in the database for a while but be read by the desk alone.

Mails that wait to be sent hold links and codes, and a fresh token waits to be shown once. Whoever
reads the database, or a copy of it, must not be able to use them.
"""

import base64
import hashlib
from functools import lru_cache
from typing import NewType

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

#: Text that only this desk, with its `SECRET_KEY`, can read.
Sealed = NewType("Sealed", str)


class Unreadable(Exception):
    """Sealed by another key, or changed since."""


def text_seal(text: str) -> Sealed:
    return Sealed(_box(settings.SECRET_KEY).encrypt(text.encode()).decode())


def text_open(sealed: str) -> str:
    """The text again; raises `Unreadable`."""
    try:
        return _box(settings.SECRET_KEY).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise Unreadable from error


@lru_cache(maxsize=2)
def _box(secret_key: str) -> Fernet:
    key = hashlib.sha256(b"stuckbot sealing 1:" + secret_key.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
