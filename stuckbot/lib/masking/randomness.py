"""Does a run of characters look drawn at random, or written by a person or a naming scheme?

Of neighbouring characters drawn from A-Z a-z 0-9, some 63 in 100 are of different classes; in
words, CamelCase names and numbered names it is under 35 in 100.
"""

import re
from typing import Final

_CLASS_RUNS: Final = re.compile(rb"[a-z]+|[A-Z]+|[0-9]+")
_LEAST_CHANGES: Final = 0.36
_HEX: Final = re.compile(rb"[0-9a-f]+|[0-9A-F]+")
_LETTERS_AND_DIGITS: Final = re.compile(rb"[A-Za-z]+[0-9]|[0-9]+[A-Za-z]")


def is_mixed(run: bytes) -> bool:
    """Lower case, upper case and digits, changing as often as chance would have it."""
    runs = _CLASS_RUNS.findall(run)
    kinds = {_kind(one[0]) for one in runs}
    return len(kinds) == 3 and len(runs) >= _LEAST_CHANGES * sum(map(len, runs))


def is_drawn(run: bytes, least: int = 16) -> bool:
    """At least `least` characters that look drawn: mixed, or lower case and digits often changing.

    For places where a secret is likely already: beside a telling word, in a signature.
    """
    if len(run) < least:
        return False
    runs = _CLASS_RUNS.findall(run)
    kinds = {_kind(one[0]) for one in runs}
    return len(kinds) >= 2 and len(runs) >= 0.3 * sum(map(len, runs))


def is_hex(run: bytes) -> bool:
    """Hexadecimal digits in one case alone."""
    return _HEX.fullmatch(run) is not None


def has_letters_and_digits(run: bytes) -> bool:
    return _LETTERS_AND_DIGITS.search(run) is not None


def _kind(byte: int) -> int:
    return 0 if byte >= 97 else 1 if byte >= 65 else 2
