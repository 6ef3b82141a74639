"""Masking against the corpus: with a seed that stays, and with one drawn anew and printed.

The drawn seed shows that the rules do not fit one set of samples, so it fails the test too, but by
shares of samples alone: with 20 of each kind the held-out share moves by some 0.15 % from seed to
seed and stands more than five times that above its limit, whereas one rare sample, which one seed
in two holds, decides whether a kind counts as covered. Kinds are counted for the seed that stays.
"""

import random

import pytest

from bench.masking import HalfResult, details, measure, table
from tests.masking.corpus.halves import HALVES

EACH = 20
FIXED = 20_260_301
#: At most one in so many kinds of the known half may have a sample that is not covered whole.
KINDS_A_MISS = 50
KNOWN_LEAST = 0.98
HELD_OUT_LEAST = 0.9
EATEN_MOST = 0.02


def judged(seed: int) -> HalfResult:
    """Both halves measured, printed and held to the limits; the known one."""
    known, held_out = (measure(half, seed=seed, each=EACH) for half in HALVES)
    print(f"python -m bench.masking --seed {seed} --each {EACH}")
    print("\n".join([*table([known, held_out]), *details(known, show=False)]))
    looks = known.look_alike_samples + held_out.look_alike_samples
    assert known.whole_share >= KNOWN_LEAST
    assert held_out.whole_share >= HELD_OUT_LEAST
    assert known.eaten_share <= EATEN_MOST
    assert (known.eaten + held_out.eaten) / looks <= EATEN_MOST
    return known


def test_it_covers_secrets_and_leaves_look_alikes() -> None:
    known = judged(FIXED)
    missed = [kind.name for kind in known.kinds if not kind.is_covered]
    assert len(missed) <= len(known.kinds) // KINDS_A_MISS, missed


def test_it_does_so_whatever_the_samples() -> None:
    judged(random.SystemRandom().randrange(10**6))


@pytest.mark.parametrize("what", ["kinds", "look_alikes"])
def test_the_halves_are_large_and_apart(what: str) -> None:
    names = [{one.name for one in getattr(half, what)} for half in HALVES]
    assert sum(map(len, names)) >= 60
    assert names[0].isdisjoint(names[1]), "a name stands in both halves"
