"""Which names announce a secret: `DB_PASSWORD`, `client_secret`, `x-api-key`, `apiKey`."""

import re
from functools import lru_cache
from typing import Final


def _named(words: str) -> frozenset[str]:
    return frozenset(words.split())


STRONG: Final = 2
WEAK: Final = 1
SILENT: Final = 0

#: What stands under these is a secret whatever it looks like.
_STRONG_ENDS: Final = (
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "passcode",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "passwords",
)
_STRONG_WORDS: Final = frozenset({*_STRONG_ENDS, "pwd", "pswd", "passkey", "psk", "mnemonic"})
#: `key` is a secret after one of these.
_KEY_QUALIFIERS: Final = _named(
    "api access secret private account master encryption decryption encrypt signing sign shared "
    "storage auth admin deploy webhook client hmac aes jwt app application consumer "
    "subscription integration ingest ingestion write service licence license root crypto cipher "
    "bot team user personal server pem rsa ssl tls ssh wrap unwrap session"
)
#: A token after one of these is a place in a list or a word of a text.
_TOKEN_HARMLESS: Final = _named(
    "page next continuation continue sync eos bos pad unk sep cls mask stop start special "
    "cancellation cancel max min num total prompt completion input output design previous prev "
    "last first end begin first reset per text current lookahead unexpected expected invalid "
    "missing bad"
)
_SECRET_HARMLESS: Final = frozenset({"image", "pull", "imagepull", "tls"})
#: What stands under these is a secret when it looks drawn at random.
_WEAK_WORDS: Final = _named(
    "key keys auth authorization authentication credential credentials creds cred sig signature "
    "session sessionid sid pass pat jwt bearer csrf xsrf csrftoken xsrftoken otp pin "
    "secrets tokens auths userpass basic licensekey"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS: Final = re.compile(r"[a-z]+|[0-9]+")


@lru_cache(maxsize=4096)
def telling(name: str) -> int:
    """STRONG: a secret stands under this name. WEAK: if it looks like one. SILENT: neither."""
    words = _words(name)
    if not words:
        return SILENT
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _STRONG_WORDS or last.endswith(_STRONG_ENDS):
        return _strong_unless_harmless(last, before)
    if last == "key" and before in _KEY_QUALIFIERS:
        return STRONG
    if last in _WEAK_WORDS or last.endswith(("pass", "auth", "session", "key")):
        return WEAK
    return SILENT


def _strong_unless_harmless(last: str, before: str) -> int:
    if last == "token" and before in _TOKEN_HARMLESS:
        return SILENT
    if last == "token" and before in {"csrf", "xsrf", "csrfmiddleware"}:
        return WEAK
    if last == "secret" and before in _SECRET_HARMLESS:
        return WEAK
    return STRONG


def _words(name: str) -> list[str]:
    words = _WORDS.findall(_CAMEL.sub("_", name).lower())
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    return words
