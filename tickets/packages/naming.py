"""What a ticket is called whose package has no title yet."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tickets.packages.schema import is_visible

TITLE_MOST: Final = 200
_UNTITLED: Final = "Untitled"
#: Where a package says in a few words what it is about, the plainest first.
_SAID: Final = ("stuck_reason", "objective")


def title_of(package: Mapping[str, Any]) -> str:
    """The title of a masked package, else "Untitled: " and the first line that tells something."""
    title = package.get("title")
    if isinstance(title, str):
        return title
    line = next(_lines(package), None)
    if line is None:
        return _UNTITLED
    named = f"{_UNTITLED}: {line}"
    return named if len(named) <= TITLE_MOST else f"{named[: TITLE_MOST - 1].rstrip()}…"


def _lines(package: Mapping[str, Any]) -> Iterator[str]:
    """First lines of what the package says, without the white space around them."""
    for text in _texts(package):
        for line in text.splitlines():
            if is_visible(line):
                yield " ".join(line.split())
                break


def _texts(package: Mapping[str, Any]) -> Iterator[str]:
    summary = package.get("human_summary") or {}
    if "problem" in summary:
        yield summary["problem"]
    yield from (package[name] for name in _SAID if name in package)
    errors = (package.get("context") or {}).get("errors", ())
    yield from (errors,) if isinstance(errors, str) else errors
    for name in ("next_steps", "remaining"):
        yield from package.get(name, ())
