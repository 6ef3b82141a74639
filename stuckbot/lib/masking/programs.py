"""Secrets in command lines: flags of a telling name, and the short flags of known programs."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.keyed import STEM
from stuckbot.lib.masking.keys import KEYED, STRONG, telling
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.quoting import Value, value_at
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_secret

_FLAG: Final = pattern(
    r"--?[A-Za-z0-9-]{0,30}" + STEM + r"[A-Za-z0-9-]{0,20}(?:[ \t]+|\\{0,7}[\"'],[ \t]*)",
    any_case=True,
)
#: What may stand before a flag.
_BEFORE_FLAG: Final = b" \t\r\n\0\"'`([{,=\\"
_PROSE: Final = re.compile(rb"[a-z]+[.,]? [a-z]+[ .,]|[a-z]+[.,] ")
#: How openssl says that what follows is the password itself.
_SOURCE: Final = b"pass:"
_FLAG_NAME: Final = re.compile(rb"--?([A-Za-z0-9-]+)")
_PROGRAM: Final = pattern(
    r"\b(?:mysql[a-z_]*|mariadb[a-z-]*|sshpass|redis-cli|curl|wget|https?|docker|podman|helm|"
    r"mongo[a-z]*|ldap[a-z]+|smbclient|openssl|htpasswd|unzip|zip|7z|rclone|kinit|sqlcmd|bcp|"
    r"snowsql|cqlsh|ncftp[a-z]*|ftp|lftp|az|oc|rabbitmq[a-z]*|cmdkey|net|xfreerdp|etcdctl|sqlplus|"
    r"impdp|expdp)\b[^\n\x00]{3,}"
)
_ORACLE: Final = re.compile(rb"sqlplus|impdp|expdp")
#: Which short flags of which programs carry a password, and how.
_SHORT: Final = (
    (re.compile(rb"mysql|mariadb|7z"), re.compile(rb"\s-p(?=\S)")),
    (
        re.compile(rb"sshpass|mongo|ncftp"),
        re.compile(rb"\s-p[ =]*(?=[^\s-])"),
    ),
    (re.compile(rb"docker|podman|helm|oc|az"), re.compile(rb"\blogin\b[^\n]*?\s-p[ =]+")),
    (re.compile(rb"redis-cli"), re.compile(rb"\s(?:-a|--pass)[ =]+")),
    (re.compile(rb"sqlcmd|bcp|unzip|zip"), re.compile(rb"\s-P[ ]*")),
    (re.compile(rb"ldap|cqlsh"), re.compile(rb"\s-[wp][ ]+")),
    (re.compile(rb"openssl"), re.compile(rb"\bpass:")),
    (
        re.compile(rb"curl|wget|https?"),
        re.compile(rb"\s(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]*[\"']?[^\s:\"']{1,100}:"),
    ),
    (re.compile(rb"lftp"), re.compile(rb"\s-u[ ]*[^\s,]{1,100},")),
    (re.compile(rb"cmdkey|net|xfreerdp"), re.compile(rb"\s/(?:p|pass|pw):")),
    (re.compile(rb"etcdctl"), re.compile(rb"\s--user[ =]+[^\s:]{1,100}:")),
    (_ORACLE, re.compile(rb"\s[\"']?[A-Za-z0-9_]{1,60}/(?=[^\s@/]+@)")),
    (re.compile(rb"smbclient|rclone"), re.compile(rb"\s-U[ ]*[\"']?[^\s%\"']{1,100}%")),
    (re.compile(rb"htpasswd"), re.compile(rb"\s-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+")),
)
#: The quote around `'user:password'`.
_IN_QUOTES: Final = re.compile(rb"([\"'])[^\s\"']+\Z")


def command_secrets(text: bytes, meter: Meter) -> Iterator[Span]:
    """Secrets that a command line gives to a program."""
    for found in meter.each(_FLAG, text):
        start, end = found.span()
        name = _FLAG_NAME.match(text, start)
        if name is None or (start and text[start - 1] not in _BEFORE_FLAG):
            continue
        if _is_telling_flag(name.group(1).decode()) and not _PROSE.match(text, end):
            yield from _given(text, end, name.group(1).decode())
    for found in meter.each(_PROGRAM, text):
        start, end = found.span()
        yield from _short_flags(text, meter, start, end)


def _is_telling_flag(name: str) -> bool:
    return telling(name) >= KEYED or name.lower() in {"pass", "pw", "oauth2-bearer"}


def _short_flags(text: bytes, meter: Meter, start: int, end: int) -> Iterator[Span]:
    for program, flag in _SHORT:
        if not program.match(text, start):
            continue
        for given in meter.each(flag, text, start, end):
            quoted = _IN_QUOTES.search(text[given.start() : given.end()])
            if quoted is not None:
                closing = text.find(quoted.group(1), given.end(), end)
                if closing >= 0:
                    yield from _held(Value(given.end(), closing), text, "password")
                    continue
            for span in _given(text, given.end(), "password"):
                yield _before_host(text, span) if program is _ORACLE else span


def _before_host(text: bytes, span: Span) -> Span:
    """Of `password@host` the password."""
    password, _, _ = text[span.start : span.end].partition(b"@")
    return span._replace(end=span.start + len(password))


def _given(text: bytes, place: int, name: str) -> Iterator[Span]:
    value = value_at(text, place)
    if value is None:
        return
    apart = text[place - 1] in b" \t"
    if not (apart and not value.quoted and text.startswith(b"-", place)):
        yield from _held(value, text, name)


def _held(value: Value, text: bytes, name: str) -> Iterator[Span]:
    held = text[value.start : value.end]
    if is_secret(STRONG, held, value.quoted):
        start = value.start + len(_SOURCE) * held.startswith(_SOURCE)
        yield Span(start, value.end, "command_secret", name)
