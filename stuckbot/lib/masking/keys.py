"""Which names announce a secret: `DB_PASSWORD`, `client_secret`, `x-api-key`, `apiKey`."""

import re
from functools import lru_cache
from typing import Final


def _named(words: str) -> frozenset[str]:
    return frozenset(words.split())


STRONG: Final = 3
KEYED: Final = 2
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
    "secretkey",
    "privatekey",
    "accountkey",
    "passwords",
)
_STRONG_WORDS: Final = frozenset({"pwd", "pswd", "passkey", "psk", "mnemonic"})
#: `key` is a secret after one of these.
_KEY_QUALIFIERS: Final = _named(
    "api access secret private account master encryption decryption encrypt signing sign shared "
    "storage auth admin deploy webhook client hmac aes jwt app application consumer "
    "subscription integration ingest ingestion write service licence license root crypto cipher "
    "bot team user personal server pem rsa ssl tls ssh wrap unwrap"
)
#: A token after one of these is a place in a list or a word of a text.
_TOKEN_HARMLESS: Final = _named(
    "page next continuation continue sync open close closing eos bos pad unk sep cls mask stop "
    "start special cancellation cancel max min num total prompt completion input output design "
    "previous prev "
    "last first end begin first reset per text current lookahead unexpected expected invalid "
    "missing bad"
)
_SECRET_HARMLESS: Final = frozenset({"image", "pull", "imagepull", "tls"})
#: What stands under these is a secret when it looks drawn at random.
_WEAK_WORDS: Final = _named(
    "key keys auth authorization authentication credential credentials creds cred sig signature "
    "session sessionid sid pass pat jwt bearer csrf xsrf csrftoken xsrftoken "
    "secrets tokens auths basic licensekey"
)
#: A key after one of these is known to everybody or names a place.
_KEY_HARMLESS: Final = _named(
    "site public publishable pub cache primary foreign partition sort row object s3 idempotency "
    "dedup group routing i18n translation message host known hot map dict json lookup unique "
    "natural join index event shift ctrl alt enter tab arrow any press"
)
#: `pass` and `pw` are passwords after one of these, or when written as one word with one.
_PASS_QUALIFIERS: Final = _named(
    "db database smtp mail email imap pop ftp sftp ssh become sudo mysql pg postgres postgresql "
    "redis rabbitmq mongo admin root user usr login auth proxy basic keystore truststore key "
    "store cert wifi service ldap bind vault jdbc sql web http https my master"
)
#: A thing one does with a password is none.
_VERBS: Final = _named(
    "reset change forgot forgotten show hide toggle verify check validate has is needs require "
    "requires get fetch read load find lookup resolve generate"
)
#: What may stand behind the telling word: which one of several, or in what form.
_TRAILERS: Final = _named(
    "value base data string text plain plaintext base64 b64 raw enc hex material confirm "
    "confirmation prod production staging stage stg dev test live old new primary secondary "
    "default rw ro admin"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS: Final = re.compile(r"[a-z]+|[0-9]+")


@lru_cache(maxsize=4096)
def telling(name: str) -> int:
    """How much the name says of what stands under it.

    STRONG: it is a secret. KEYED: it is, unless it is written in words. WEAK: if it looks drawn
    at random. SILENT: nothing.
    """
    words = _words(name)
    if not words:
        return SILENT
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _STRONG_WORDS or last.endswith(_STRONG_ENDS):
        return (
            WEAK
            if words[0] in _VERBS and len(words) > 1 and "pass" in last
            else _strength(last, before)
        )
    if last == "key" and before == "api":
        return STRONG
    if last == "key" and before in _KEY_QUALIFIERS:
        return KEYED
    if _is_pass(last, before):
        return STRONG
    if last.endswith("key") and (before in _KEY_HARMLESS or last[:-3] in _KEY_HARMLESS):
        return SILENT
    if last in _WEAK_WORDS or last.endswith(("auth", "session", "key")):
        return WEAK
    return SILENT


def _is_pass(last: str, before: str) -> bool:
    for short in ("pass", "pw"):
        if last == short:
            return before in _PASS_QUALIFIERS
        if last.endswith(short) and last.removesuffix(short) in _PASS_QUALIFIERS:
            return True
    return last == "requirepass" or last == "masterauth"


def _strength(last: str, before: str) -> int:
    if last == "token" and before in _TOKEN_HARMLESS:
        return SILENT
    if last == "token" and before in {"csrf", "xsrf", "csrfmiddleware"}:
        return WEAK
    if last == "secret" and before in _SECRET_HARMLESS:
        return WEAK
    return STRONG


def qualifies_key(word: str) -> bool:
    """`api`, `secret`, `signing`: a key of that sort is a secret."""
    return word.lower() in _KEY_QUALIFIERS


def _words(name: str) -> list[str]:
    words = _WORDS.findall(_CAMEL.sub("_", name).lower())
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _TRAILERS):
        words.pop()
    return words
