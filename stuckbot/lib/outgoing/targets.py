"""Reads a URL strictly and says whether it may be asked for. No network is touched here."""

import re
import unicodedata
from typing import Final
from urllib.parse import quote

from stuckbot.lib.masking import REDACTED
from stuckbot.lib.outgoing.addresses import Address, is_public
from stuckbot.lib.outgoing.allowed import Allowed
from stuckbot.lib.outgoing.hosts import BadHost, host_of, is_public_name
from stuckbot.lib.outgoing.results import Refused, Target

HTTPS_PORT: Final = 443
URL_CHARACTERS: Final = 8_192
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HTTPS: Final = re.compile(r"https://([^/?#]*)([^#]*)(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY: Final = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
#: What stands as it is in a path or query; all else is sent percent-encoded.
_PLAIN: Final = "%/:?[]@!$&'()*+,;=~-._"


def target_of(url: str, allowed: Allowed) -> Target | Refused:
    """Where the URL leads and what to ask there, or why it is not asked for.

    An address written as numbers is judged here; a name is judged again by what it resolves to.
    """
    if REDACTED in url:
        return Refused("masked")
    found = _parts(url)
    if isinstance(found, Refused):
        return found
    authority, path = found
    return _target(url, authority, path, allowed)


def _parts(url: str) -> tuple[str, str] | Refused:
    """What stands between the slashes, and all that comes after, without the fragment."""
    if not _is_plain(url):
        return Refused("bad_url")
    scheme = _SCHEME.match(url)
    if scheme is None:
        return Refused("bad_url")
    if scheme[1].lower() != "https":
        return Refused("not_https")
    whole = _HTTPS.fullmatch(url)
    return Refused("bad_url") if whole is None else (whole[1], whole[2])


def _is_plain(url: str) -> bool:
    """Nothing that a reader might drop, fold or take for another character: `urlsplit` drops tabs
    and line ends in silence, and browsers read a backslash as a slash."""
    return len(url) <= URL_CHARACTERS and not any(
        character == "\\" or unicodedata.category(character) in {"Cc", "Cs", "Zs", "Zl", "Zp"}
        for character in url
    )


def _target(url: str, authority: str, path: str, allowed: Allowed) -> Target | Refused:
    if "@" in authority:
        return Refused("userinfo")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        return Refused("bad_url")
    try:
        host = host_of(parts[1])
    except BadHost:
        return Refused("bad_url")
    if parts[2] not in {None, "", str(HTTPS_PORT)}:
        return Refused("port")
    named = host in allowed.hosts
    if not named and not _may_be_public(host):
        return Refused("not_public")
    return Target(url, str(host), HTTPS_PORT, _sent(path), named)


def _may_be_public(host: str | Address) -> bool:
    if isinstance(host, str):
        return is_public_name(host)
    return is_public(host)


def _sent(path: str) -> str:
    quoted = quote(path, safe=_PLAIN)
    return quoted if quoted.startswith("/") else f"/{quoted}"
