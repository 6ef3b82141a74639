"""Rules for the commands, patterns and urls that a criterion carries."""

import functools
import shlex
import unicodedata
from typing import Any, Final
from urllib.parse import urlsplit

import re2

#: What one compiled pattern may use. A pattern that needs more is refused like a malformed one.
#: RE2 bounds memory, not the time of compiling; at this size the worst one takes some 10 ms.
PATTERN_BYTES: Final = 1 << 16
#: Each class by Unicode property (\\p{L}) stands for hundreds of ranges.
PROPERTY_CLASSES: Final = 16


def split_words(command: str) -> list[str] | None:
    """The words a POSIX shell splitter makes of `command`, or None where it cannot.

    The very splitter that agents' verifiers use, so that what is accepted here runs there.
    """
    try:
        return shlex.split(command)
    except ValueError:
        return None


def is_runnable(command: str) -> bool:
    """There is a program to start: at least one word, and the first is not empty."""
    words = split_words(command)
    return bool(words and words[0])


def is_absolute_url(url: str) -> bool:
    """Absolute http or https, with a host, without control characters and white space."""
    if any(char.isspace() or unicodedata.category(char) == "Cc" for char in url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


@functools.lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any | None:
    """The pattern on RE2 (linear time, bounded memory), or None where it is refused."""
    if pattern.count("\\p") + pattern.count("\\P") > PROPERTY_CLASSES:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PATTERN_BYTES
    # Whether it is found is all that is asked; a thousand groups would cost seconds.
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return None
