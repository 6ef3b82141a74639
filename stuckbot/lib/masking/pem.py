"""Private keys in PEM armour: whole, on one line with written-out line ends, or cut off."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.spans import Span

_BEGIN: Final = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]:"
)
_END: Final = re.compile(
    rb"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-MAC:[^\n]*"
)
_OTHER: Final = re.compile(rb"\0|-----BEGIN ")
#: The longest key that is looked for; four times that of a 16,384 bit RSA key.
_LONGEST: Final = 64_000
_GAP: Final = rb"(?:\s|\\+[nrt]|[\"',+>|])"
#: What may follow when the end was cut off: headers, and lines of base64.
_BODY: Final = re.compile(
    rb"(?:" + _GAP + rb"|[A-Z][A-Za-z-]{3,20}: [^\n\\]*+|[A-Za-z0-9+/=]{16,}+|[A-Za-z0-9+/]*=+"
    rb"|[A-Za-z0-9+/]{1,15}+(?=" + _GAP + rb"*+(?:\Z|[\"'}\],]))"
    rb"|(?<=[\nn])(?=[A-Za-z+/]*[0-9])[A-Za-z0-9+/]{4,15}+(?=\r?\n|\\+[rn]))*+"
)
_MATERIAL: Final = re.compile(rb"[A-Za-z0-9+/]{16}")


def private_keys(text: bytes, meter: Meter) -> Iterator[Span]:
    """Each block from its BEGIN to its END, or as far as what follows is key material."""
    done = 0
    for begin in meter.each(_BEGIN, text):
        if begin.start() < done:
            continue
        end = _end_of(text, begin.end())
        if _MATERIAL.search(text, begin.end(), end):
            yield Span(begin.start(), end, "private_key")
        done = end


def _end_of(text: bytes, start: int) -> int:
    """The end of the block whose BEGIN ends at `start`. A field ends it too, and another block."""
    limit = start + _LONGEST
    other = _OTHER.search(text, start, limit)
    limit = limit if other is None else other.start()
    end = _END.search(text, start, limit)
    if end is not None:
        return end.end()
    body = _BODY.match(text, start, limit)
    assert body is not None  # it matches the empty text
    return body.end()
