"""The host of an address in the one form that is looked up, connected to and sent.

Stricter than browsers: what they would read as something else than it looks like is refused
instead, so that there is never a second reading.
"""

import ipaddress
import re
from typing import Final

import idna

from stuckbot.lib.outgoing.addresses import Address

NAME_CHARACTERS: Final = 253
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
#: A last label that starts so makes some readers take the whole for a number.
_NUMERIC: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
#: Always this machine itself.
_LOOPBACK: Final = "localhost"
#: Answered by this machine or its neighbours and by no public name server.
_LOCAL: Final = (_LOOPBACK, "local", "internal", "home.arpa", "onion")


class BadHost(ValueError):
    """The text is no host that could be looked up."""


def host_of(text: str) -> str | Address:
    """A name in ASCII and lower case without a dot at its end, or an address."""
    if text.startswith("["):
        return _v6(text)
    name = _ascii(text.removesuffix("."))
    labels = name.split(".")
    if len(name) > NAME_CHARACTERS or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadHost
    if _NUMERIC.fullmatch(labels[-1]):
        return _v4(text)
    return name


def is_public_name(name: str) -> bool:
    """Whether a public name server could know the name, as `host_of` gives it."""
    return "." in name and not any(_is_under(name, end) for end in _LOCAL)


def is_loopback_name(name: str) -> bool:
    return _is_under(name, _LOOPBACK)


def _is_under(name: str, end: str) -> bool:
    return name == end or name.endswith(f".{end}")


def _v6(text: str) -> Address:
    inside = text[1:-1]
    if not text.endswith("]") or not re.fullmatch(r"[0-9A-Fa-f:.]{2,45}", inside):
        raise BadHost
    try:
        return ipaddress.IPv6Address(inside)
    except ValueError:
        raise BadHost from None


def _v4(text: str) -> Address:
    """Four decimal numbers and nothing else: octal, hex, short and long forms are refused."""
    try:
        return ipaddress.IPv4Address(text)
    except ValueError:
        raise BadHost from None


def _ascii(text: str) -> str:
    if not text or len(text) > NAME_CHARACTERS:
        raise BadHost
    return ".".join(_ascii_label(label) for label in text.split("."))


def _ascii_label(label: str) -> str:
    """A label of other letters as `xn--`; one that is ASCII in disguise is refused."""
    if label.isascii() and label[:4].lower() != "xn--":
        return label.lower()
    try:
        coded = idna.encode(label, uts46=True, std3_rules=True).decode("ascii")
    except UnicodeError:
        raise BadHost from None
    if not coded.startswith("xn--") or "." in coded:
        raise BadHost
    return coded
