"""What the corpus promises of itself, whatever the rules are."""

import random

import pytest

from tests.masking.corpus.halves import HALVES, Half
from tests.masking.corpus.judging import forms

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
    names = [found.name for found in (*half.kinds, *half.look_alikes)]
    assert sorted(names) == sorted(set(names))
