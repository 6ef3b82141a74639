"""Rules for the commands, patterns and urls that a criterion carries."""

import functools
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import re2

from tickets.packages.schema import is_visible

#: What one compiled pattern may use. A pattern that needs more is refused like a malformed one.
#: It bounds the search too: the worst excerpt takes such a pattern some 50 ms.
PATTERN_BYTES: Final = 1 << 15
#: Each class by Unicode property (\\p{L}) stands for hundreds of ranges.
PROPERTY_CLASSES: Final = 16
#: What trying out the patterns of one package may cost, in instructions; the dearest kinds we
#: know take some 2 microseconds for each.
TRYING_BUDGET: Final = 10_000
_LEAST_COST: Final = 20
_TOO_LARGE_COST: Final = 3_000
_PROPERTY_COST: Final = 200

_PORT: Final = re.compile("(?::[0-9]*)?")


def split_words(command: str) -> list[str] | None:
    """The words a POSIX shell splitter makes of `command`, or None where it cannot.

    The very splitter that agents' verifiers use, so that what is accepted here runs there.
    """
    try:
        return shlex.split(command)
    except ValueError:
        return None


def is_runnable(command: str) -> bool:
    """There is a program to start: a first word that can be seen and begins no comment."""
    words = split_words(command)
    return bool(words and is_visible(words[0]) and not command.lstrip().startswith("#"))


def is_absolute_url(url: str) -> bool:
    """Absolute http or https, with a host, without control characters and white space.

    Whether it may be fetched is another question, asked when it is.
    """
    if any(char.isspace() or unicodedata.category(char) == "Cc" for char in url):
        return False
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"}
        return known and bool(parts.hostname) and _has_port(parts.netloc.rpartition("@")[2])
    except ValueError:
        return False


def _has_port(address: str) -> bool:
    """What follows the host is a port, if anything. Whether it exists is no matter of form."""
    rest = address.rpartition("]")[2] if "]" in address else "".join(address.partition(":")[1:])
    return _PORT.fullmatch(rest) is not None


class _Compiled(NamedTuple):
    pattern: Any | None
    cost: int


def compile_pattern(pattern: str) -> Any | None:
    """The pattern on RE2 (linear time, bounded memory), or None where it is refused."""
    return _compiled(pattern).pattern


def plain_patterns(patterns: Iterable[str]) -> Iterator[bool | None]:
    """For each pattern in turn, whether it can only be looked for as plain text.

    None where it was not tried: compiling has its price, so those of one package share a budget.
    """
    left = TRYING_BUDGET
    for pattern in patterns:
        if left <= 0:
            yield None
            continue
        compiled = _compiled(pattern)
        left -= compiled.cost
        yield compiled.pattern is None


@functools.lru_cache(maxsize=64)
def _compiled(pattern: str) -> _Compiled:
    properties = pattern.count("\\p") + pattern.count("\\P")
    if properties > PROPERTY_CLASSES:
        return _Compiled(None, _LEAST_COST)
    cost = _LEAST_COST + len(pattern) + properties * _PROPERTY_COST
    try:
        compiled = re2.compile(pattern, _options())
    except re2.error as error:
        return _Compiled(None, cost + _TOO_LARGE_COST * ("too large" in str(error)))
    except UnicodeEncodeError:
        return _Compiled(None, cost)
    return _Compiled(compiled, cost + compiled.programsize)


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PATTERN_BYTES
    # Whether it is found is all that is asked; a thousand groups would cost seconds.
    options.never_capture = True
    return options
