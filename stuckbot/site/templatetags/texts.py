"""How text that an agent or a person wrote gets into a page: escaped, isolated, nothing hidden.

`shown` for text in a page, `linked` where its addresses may become links, `marked` for a title or
an attribute, where no element can stand.
"""

import re
import unicodedata
from typing import Final
from urllib.parse import urlsplit

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

register = template.Library()

#: What draws nothing or moves its neighbours: controls but tab and line feed, soft hyphen,
#: fillers, zero widths, directions, invisible operators, tags, and selectors beyond the usual.
_HIDDEN: Final = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_COMBINING: Final = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
#: A run of one hidden character, or marks piled on one letter beyond what any language does.
_UNSEEN: Final = re.compile(f"([{_HIDDEN}])\\1*|(?<=[{_COMBINING}]{{8}})[{_COMBINING}]+")
#: Zero-width joiners that scripts and pictures are written with: between two such characters.
_JOINERS: Final = "\u200c\u200d"
_JOINED_FROM: Final = 0x0600
_NAMES: Final = {
    0x00: "NULL",
    0x08: "BACKSPACE",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
}
_LINK: Final = re.compile(f"https?://[^\\s<>\"'`\\\\^{{}}|{_HIDDEN}]+", re.IGNORECASE)
_TRAILING: Final = ".,;:!?"
_PAIRS: Final = {")": "(", "]": "["}
REL: Final = "noopener noreferrer nofollow"


@register.filter
def shown(value: object) -> SafeString:
    """The text in a `<bdi>` of its own, with each hidden character as a small mark."""
    return format_html("<bdi>{}</bdi>", _visible(_plain(value)))


@register.filter
def linked(value: object) -> SafeString:
    """Like `shown`, with web addresses as links; no other scheme becomes one."""
    text = _plain(value)
    parts: list[SafeString] = []
    at = 0
    for found in _LINK.finditer(text):
        address = _trimmed(found[0])
        if not _is_honest(address):
            continue
        end = found.start() + len(address)
        parts += [_visible(text[at : found.start()]), _anchor(address)]
        at = end
    return format_html("<bdi>{}</bdi>", mark_safe("".join([*parts, _visible(text[at:])])))  # noqa: S308 - escaped piece by piece


@register.filter
def marked(value: object) -> str:
    """The text with each hidden character as its number in brackets; for attributes and titles."""
    return _UNSEEN.sub(lambda found: _number(found) or found[0], _plain(value))


def _plain(value: object) -> str:
    return "" if value is None else str(value).replace("\r\n", "\n")


def _visible(text: str) -> SafeString:
    parts: list[str] = []
    at = 0
    for found in _UNSEEN.finditer(text):
        parts += [_escaped(text[at : found.start()]), _mark(found)]
        at = found.end()
    return mark_safe("".join([*parts, _escaped(text[at:])]))  # noqa: S308 - escaped piece by piece


def _escaped(text: str) -> str:
    return format_html("{}", text)


def _mark(found: re.Match[str]) -> str:
    number = _number(found)
    if not number:
        return _escaped(found[0])
    title = _("Hidden character: %(name)s") % {"name": _name(found[0][0])}
    return format_html('<span class="mark" title="{}">{}</span>', title, number.strip("[]"))


def _number(found: re.Match[str]) -> str:
    """`[U+202E]`, with how many when there are several; empty for what may stay as it is."""
    run = found[0]
    if run in _JOINERS and _joins(found):
        return ""
    if found[1] is None:
        return f"[+{len(run)}]"
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return f"[U+{ord(run[0]):04X}{times}]"


def _joins(found: re.Match[str]) -> bool:
    text, start, end = found.string, found.start(), found.end()
    beside = (text[start - 1 : start], text[end : end + 1])
    return all(one and ord(one) >= _JOINED_FROM and not one.isspace() for one in beside)


def _name(character: str) -> str:
    return unicodedata.name(character, "") or _NAMES.get(ord(character), _("no name"))


def _trimmed(address: str) -> str:
    """Without the full stop or bracket that belongs to the sentence around it."""
    while address:
        last = address[-1]
        opening = _PAIRS.get(last)
        unpaired = opening is not None and address.count(last) > address.count(opening)
        if last not in _TRAILING and not unpaired:
            break
        address = address[:-1]
    return address


def _is_honest(address: str) -> bool:
    """Whether a reader sees where it leads: a host, and no name before it that looks like one."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False


def _anchor(address: str) -> SafeString:
    return format_html('<a href="{}" rel="{}">{}</a>', address, REL, address)
