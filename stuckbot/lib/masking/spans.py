"""What a rule finds: a stretch of bytes, and what is told of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

#: What stands where a secret stood.
REDACTED: Final = "[REDACTED]"
REDACTED_BYTES: Final = REDACTED.encode()


class Span(NamedTuple):
    """Bytes `start` to `end` (excluded) are a secret of a kind. `name` is the key it stood under,
    if any. `bare` says that it is a JSON number, which needs quotes once it is masked."""

    start: int
    end: int
    kind: str
    name: str = ""
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret that was masked: the path where it stood (`package.context.logs[2]`), a code for
    what kind it is (`github_token`), and a preview that does not give the value away."""

    where: str
    kind: str
    preview: str


def merged(spans: Iterable[Span]) -> list[Span]:
    """In order and apart: what overlaps is one span, of the kind of its first and longest part."""
    whole: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        last = whole[-1] if whole else None
        if last is None or span.start >= last.end:
            whole.append(span)
        elif span.end > last.end:
            whole[-1] = last._replace(end=span.end, bare=False)
    return whole
