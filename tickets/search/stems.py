"""What a problem is known by: the stems of the telling words of its texts.

Two agents never say the same with the same words. So filler words go, endings of English and
German words go, and words that mean the same here (`timed out`, `hangs`; `403`, `forbidden`) become
one. What changes from run to run goes too: numbers, hashes, times, folders.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from tickets.search.telling import FILLERS, PHRASES, SAME
from tickets.search.tokens import folded, humps, tokens

#: Stems that a problem is known by, at most.
STEMS_MOST: Final = 64
#: Letters of one text that are read.
_LETTERS_MOST: Final = 6_000
#: What changes from run to run: addresses' paths, folders, ids, times, hashes, tickets.
VOLATILE: Final = re.compile(
    r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\bsb-[0-9]+\b"
    r"|\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[t ][0-9:.,]+)?(?:z|[+-][0-9:]+)?\b"
    r"|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\b"
    r"|\b0x[0-9a-f]+\b"
    r"|(?<=//)[^\s/]*@"
)
_FOLDERS: Final = re.compile(r"(?:[A-Za-z]:)?(?:[\w.@~-]*[\\/])+(?=[\w.@-])")
_HEX: Final = re.compile(r"(?=[0-9a-f]*[0-9])[0-9a-f]{6,}")
#: Numbers that say something by themselves: HTTP's, and of programs that were killed.
_TELLING: Final = re.compile(r"[45][0-9]{2}|12[67]|13[479]|143")
_ENDINGS: Final = ("ungen", "ung", "ing", "ies", "ed", "es", "en", "er", "ly", "e", "s", "n", "t")
_ROOT_LEAST: Final = 4


def stems(texts: Iterable[str]) -> list[str]:
    """The distinct stems of the texts, in order, `STEMS_MOST` at most."""
    found: dict[str, None] = {}
    for text in texts:
        for stem in _stems_of(text[:_LETTERS_MOST]):
            found[stem] = None
            if len(found) >= STEMS_MOST:
                return list(found)
    return list(found)


def _stems_of(text: str) -> Iterable[str]:
    plain = _FOLDERS.sub(" ", VOLATILE.sub(" ", text))
    lowered = folded(plain)
    for phrase, stem in PHRASES:
        if phrase.search(lowered):
            yield stem
    names = [word for parts in humps(plain) for word in parts]
    for word in (*tokens(plain), *names):
        stem = stem_of(word)
        if stem:
            yield stem


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """The stem of a word; empty for one that tells nothing."""
    if word in FILLERS or len(word) < 2 or len(word) > 40:
        return ""
    if word.isdigit():
        return SAME.get(word, word) if _TELLING.fullmatch(word) else ""
    if _HEX.fullmatch(word):
        return ""
    if word in SAME:
        return SAME[word]
    root = _root(word)
    return "" if root in FILLERS else SAME.get(root, root)


def _root(word: str) -> str:
    """Without its ending: as much as leaves four letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT_LEAST:
            return word[: -len(ending)]
    return word
