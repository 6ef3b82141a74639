"""How text is cut into words: the same on SQLite and PostgreSQL, for tickets and for queries.

A word is a run of letters and digits; everything else, `_` included, parts words. So a path, a
hyphened name or a version is a row of words that a phrase finds: `src/app.py` is `src app py`.
Case and accents are folded (`Größe` is `grosse`), in every script. An exception's name is one
word, and its humps are words of their own beside it: `ModuleNotFoundError` is found by
`notfound`'s parts too. Scripts written without spaces are cut letter by letter.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

#: A longer word (a hash, base64) is known by its first letters.
TOKEN_MOST: Final = 64
#: Kana, Han.
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_HUMPED: Final = re.compile(r"[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z][A-Za-z0-9]*")
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def folded(text: str) -> str:
    """The text without case and accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(one for one in plain if not unicodedata.combining(one))


def tokens(text: str) -> list[str]:
    """The words of a text, in order."""
    return [one[:TOKEN_MOST] for one in _TOKEN.findall(folded(text))]


def humps(text: str) -> Iterator[list[str]]:
    """For each name written with humps, its parts: `NotFoundError` gives `not found error`."""
    for name in _HUMPED.findall(text):
        parts = [one.lower()[:TOKEN_MOST] for one in _HUMP.findall(name)]
        if len(parts) > 1:
            yield parts
