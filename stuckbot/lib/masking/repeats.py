"""A secret that was found once is masked wherever it stands again."""

from collections.abc import Collection, Iterator
from typing import Final

#: Shorter values are words that stand elsewhere for themselves.
SHORTEST: Final = 12
#: So many are looked for one by one; more are found by their first bytes.
FEW: Final = 200


def again(text: bytes, secrets: Collection[bytes]) -> Iterator[tuple[int, int]]:
    """Where the secrets stand in the text; each has at least SHORTEST bytes."""
    if len(secrets) > FEW:
        yield from _many(text, secrets)
        return
    for secret in secrets:
        place = text.find(secret)
        while place >= 0:
            yield place, place + len(secret)
            place = text.find(secret, place + len(secret))


def _many(text: bytes, secrets: Collection[bytes]) -> Iterator[tuple[int, int]]:
    """One walk over the text, whatever the number of secrets."""
    by_head: dict[bytes, list[bytes]] = {}
    for secret in secrets:
        by_head.setdefault(secret[:SHORTEST], []).append(secret)
    last = len(text) - SHORTEST
    # A comprehension: this is one look for each byte of the text.
    for place in [at for at in range(last + 1) if text[at : at + SHORTEST] in by_head]:
        for secret in by_head[text[place : place + SHORTEST]]:
            if text.startswith(secret, place):
                yield place, place + len(secret)
