"""What the corpus promises of itself, whatever the rules are."""

import random
from pathlib import Path

import pytest

import stuckbot.lib.masking
from tests.masking.corpus.halves import HALVES, Half
from tests.masking.corpus.judging import forms

TELLING = 5
BY_NAME = pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)


@BY_NAME
def test_it_holds_each_secret_in_its_text(half: Half) -> None:
    for kind in half.kinds:
        secret = kind.make(random.Random(7))
        assert secret.value
        assert secret.value in secret.text
        assert all(any(form in text for form in forms(secret.value)) for text in secret.beside)


@BY_NAME
def test_it_makes_the_same_samples_from_the_same_seed(half: Half) -> None:
    for kind in half.kinds:
        assert kind.make(random.Random(7)) == kind.make(random.Random(7))
        assert kind.make(random.Random(7)) != kind.make(random.Random(8))
    for look in half.look_alikes:
        assert look.make(random.Random(7)) == look.make(random.Random(7))


@BY_NAME
def test_it_names_each_kind_once(half: Half) -> None:
    for names in ([kind.name for kind in half.kinds], [look.name for look in half.look_alikes]):
        assert sorted(names) == sorted(set(names))


def test_it_splits_the_halves_by_vendor() -> None:
    known, held_out = ({kind.vendor for kind in half.kinds} for half in HALVES)
    assert known & held_out == set()
    assert len(known) >= 30


def test_it_holds_out_what_no_rule_names() -> None:
    """By the beginning that all values of a kind share; says how many, never which."""
    rules = Path(stuckbot.lib.masking.__file__).parent
    source = "\n".join(path.read_text(encoding="utf-8") for path in rules.rglob("*.py"))
    named = 0
    for kind in HALVES[1].kinds:
        beginning = _shared([kind.make(random.Random(seed)).value for seed in range(9)])
        named += len(beginning) >= TELLING and beginning in source
    assert named == 0


def _shared(values: list[str]) -> str:
    """What all of them begin with."""
    first, last = min(values), max(values)
    alike = [one == other for one, other in zip(first, last, strict=False)]
    return first[: alike.index(False)] if False in alike else first


def test_it_has_enough_of_each() -> None:
    known, held_out = HALVES
    assert len(known.kinds) >= 60
    assert len(held_out.kinds) >= 35
    assert len(known.look_alikes) + len(held_out.look_alikes) >= 60
