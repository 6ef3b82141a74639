"""What somebody typed into a search, read into terms. Any text at all can be read.

Words must all be there, `"some words"` next to each other, `-word` must not be; the last word may
be the beginning of one. A lone `-` before letters takes away; two (`--no-cache`) are a flag's.
"""

import re
from dataclasses import dataclass
from typing import Final

from stuckbot.lib.errors import Invalid, invalid_fields
from tickets.search.tokens import humps, tokens

#: Letters of a query, and terms of it that count.
QUERY_MOST: Final = 400
TERMS_MOST: Final = 16
#: Shorter beginnings of words are looked for as they stand: too much begins with them.
PREFIX_LEAST: Final = 2
_PART: Final = re.compile(r'(?:(?<!\S)(-)(?=[^\W_]|"))?(?:"([^"]*)("?)|(\S+))')
_REF: Final = re.compile(r"\s*[Ss][Bb]-([1-9][0-9]{0,8})\s*")


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand next to each other; of a `beginning` the last may go on.

    `humps` are the parts of a name written with humps: it is found by them as well.
    """

    tokens: tuple[str, ...]
    beginning: bool = False
    humps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """`wanted` must all be there and none of `unwanted`. `number`: it names a ticket, SB-12."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...] = ()
    number: int | None = None


def query_check(text: str) -> str:
    """The text of a query without what no text holds; refuses one that is too long."""
    if len(text) > QUERY_MOST:
        raise query_too_long()
    return text.replace("\x00", " ").strip()


def query_too_long() -> Invalid:
    return invalid_fields([("q", f"q must be at most {QUERY_MOST} characters long.")])


def query_read(text: str) -> Query:
    """The query behind a text; one without a word that is wanted finds nothing."""
    wanted: list[Term] = []
    unwanted: list[Term] = []
    for minus, quoted, end, word in _PART.findall(text):
        term = _term(quoted or word)
        if term is not None:
            (unwanted if minus else wanted).append(term)
            last = (minus, bool(end))
    if wanted and not text[-1:].isspace() and last == ("", False):
        wanted[-1] = _begun(wanted[-1])
    named = _REF.fullmatch(text)
    number = int(named[1]) if named else None
    return Query(tuple(wanted[:TERMS_MOST]), tuple(unwanted[:TERMS_MOST]), number)


def _term(text: str) -> Term | None:
    found = tuple(tokens(text))
    if not found:
        return None
    parts = next(humps(text), None) if len(found) == 1 else None
    return Term(found[:TERMS_MOST], humps=tuple(parts or ()))


def _begun(term: Term) -> Term:
    is_long = len(term.tokens[-1]) >= PREFIX_LEAST
    return Term(term.tokens, beginning=is_long, humps=term.humps)
