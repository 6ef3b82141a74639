"""Does a run of characters look drawn at random, or written by a person or a naming scheme?

A run falls into words as a reader would see them: lower case with a capital before it or not,
capitals, digits. Drawn from A-Z a-z 0-9, 28 characters fall into 10 to 20 words; CamelCase and
numbered names of that length into 4 to 7.
"""

import base64
import binascii
import re
from typing import Final

_WORDS: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LETTERS_DIGITS: Final = re.compile(rb"[A-Za-z0-9]+")
_LOWER: Final = re.compile(rb"[a-z]")
_UPPER: Final = re.compile(rb"[A-Z]")
_DIGIT: Final = re.compile(rb"[0-9]")
_HEX: Final = re.compile(rb"[0-9a-f]+|[0-9A-F]+")
_BOTH: Final = re.compile(rb"[A-Za-z].*?[0-9]|[0-9].*?[A-Za-z]")
#: Words for a character, at least; one in 1,000 runs of 28 drawn from all three classes has fewer.
_MIXED_LEAST: Final = 0.26
_DRAWN_LEAST: Final = 0.25


def is_mixed(run: bytes) -> bool:
    """Lower case, upper case and digits, changing as often as chance would have it."""
    return _classes(run) == 3 and _density(run) >= _MIXED_LEAST


def is_drawn(run: bytes, least: int = 16) -> bool:
    """At least `least` characters of two classes or more, changing as often as by chance.

    For places where a secret is likely already: beside a telling word, in a signature.
    """
    return len(run) >= least and _classes(run) >= 2 and _density(run) >= _DRAWN_LEAST


def is_hex(run: bytes) -> bool:
    """Hexadecimal digits in one case alone."""
    return _HEX.fullmatch(run) is not None


def has_letters_and_digits(run: bytes) -> bool:
    return _BOTH.search(run) is not None


def names_a_user(value: bytes) -> bool:
    """Base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (ValueError, binascii.Error):
        return False
    return b":" in decoded and decoded.isascii() and decoded.decode().isprintable()


def _classes(run: bytes) -> int:
    lower, upper, digit = _LOWER.search(run), _UPPER.search(run), _DIGIT.search(run)
    return (lower is not None) + (upper is not None) + (digit is not None)


def _density(run: bytes) -> float:
    """Words for each letter or digit."""
    size = len(run) if run.isalnum() else sum(map(len, _LETTERS_DIGITS.findall(run)))
    return len(_WORDS.findall(run)) / size if size else 0.0
