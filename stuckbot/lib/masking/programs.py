"""Secrets in command lines: flags of a telling name, and the short flags of known programs."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.keyed import STEM
from stuckbot.lib.masking.keys import STRONG, telling
from stuckbot.lib.masking.quoting import value_at
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_secret

_FLAG: Final = pattern(
    r"--?[A-Za-z0-9-]{0,30}" + STEM + r"[A-Za-z0-9-]{0,20}(?:[ \t]+|\\{0,7}[\"'],[ \t]*)",
    any_case=True,
)
_FLAG_NAME: Final = re.compile(rb"--?([A-Za-z0-9-]+)")
_NETRC: Final = pattern(r"\blogin[ \t]+\S{1,100}\s{1,8}password[ \t]+", any_case=True)
_PROGRAM: Final = pattern(
    r"\b(?:mysql[a-z_]*|mariadb[a-z-]*|sshpass|redis-cli|curl|wget|https?|docker|podman|helm|"
    r"mongo[a-z]*|ldap[a-z]+|smbclient|openssl|htpasswd|unzip|zip|7z|rclone|kinit|sqlcmd|bcp|"
    r"snowsql|cqlsh|nc|ftp|lftp|az|oc|rabbitmq[a-z]*)\b[^\n\x00]{3,}"
)
#: Which short flags of which programs carry a password, and how.
_SHORT: Final = (
    (re.compile(rb"mysql|mariadb|7z"), re.compile(rb"\s-p(?=[^\s-])")),
    (re.compile(rb"sshpass|docker|podman|helm|mongo|oc|az"), re.compile(rb"\s-p[ =]+")),
    (re.compile(rb"redis-cli"), re.compile(rb"\s(?:-a|--pass)[ =]+")),
    (re.compile(rb"sqlcmd|bcp|unzip|zip"), re.compile(rb"\s-P[ ]*")),
    (re.compile(rb"ldap|cqlsh"), re.compile(rb"\s-[wp][ ]+")),
    (re.compile(rb"openssl"), re.compile(rb"\bpass:")),
    (
        re.compile(rb"curl|wget|https?"),
        re.compile(rb"\s(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]*[\"']?[^\s:\"']{1,100}:"),
    ),
    (re.compile(rb"smbclient|rclone"), re.compile(rb"\s-U[ ]*[\"']?[^\s%\"']{1,100}%")),
    (re.compile(rb"htpasswd"), re.compile(rb"\s-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+")),
)


def command_secrets(text: bytes) -> Iterator[Span]:
    """Secrets that a command line gives to a program."""
    for found in _FLAG.finditer(text):
        start, end = found.span()
        name = _FLAG_NAME.match(text, start)
        if name is not None and telling(name.group(1).decode()) == STRONG:
            yield from _given(text, end, name.group(1).decode())
    for found in _NETRC.finditer(text):
        yield from _given(text, found.end(), "password")
    for found in _PROGRAM.finditer(text):
        start, end = found.span()
        yield from _short_flags(text, start, end)


def _short_flags(text: bytes, start: int, end: int) -> Iterator[Span]:
    for program, flag in _SHORT:
        if not program.match(text, start):
            continue
        for given in flag.finditer(text, start, end):
            yield from _given(text, given.end(), "password")


def _given(text: bytes, place: int, name: str) -> Iterator[Span]:
    value = value_at(text, place)
    if value is None:
        return
    held = text[value.start : value.end]
    if not held.startswith(b"-") and is_secret(STRONG, held, value.quoted):
        yield Span(value.start, value.end, "command_secret", name)
