"""Every known kind and look-alike by the same few samples: what goes, and that all else stays."""

import random

import pytest

from stuckbot.lib.masking import REDACTED, looks_secret, mask_text, mask_value
from tests.masking.corpus.known import KNOWN
from tests.masking.corpus.look_alikes import LOOK_ALIKES
from tests.masking.corpus.making import Kind, LookAlike, Secret
from tests.masking.forms import FORMS, NESTED, survives

#: Shorter values are judged by what stands around them, which encoding takes away.
LONG = 12


def around(secret: Secret) -> tuple[str, str]:
    start = secret.text.index(secret.value) if secret.at is None else secret.at
    return secret.text[:start], secret.text[start + len(secret.value) :]


#: A key goes with its armour, an address of a hook part by part.
_MASKED_WIDER = {
    "google service account", "pem", "escaped pem", "cut pem", "wrapped pem", "teams webhook",
    "wrapped token", "fly token",
}  # fmt: skip
EXACT = [kind for kind in KNOWN if kind.name not in _MASKED_WIDER]


@pytest.mark.parametrize("kind", EXACT, ids=lambda kind: kind.name)
def test_a_secret_goes_and_what_stands_around_it_stays(kind: Kind) -> None:
    for seed in range(5):
        secret = kind.make(random.Random(seed))
        if secret.value.isalpha():  # may be the name of a variable
            continue
        before, after = around(secret)
        assert mask_text(secret.text).text == f"{before}{REDACTED}{after}"


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.name)
def test_a_secret_goes_in_whatever_form(kind: Kind) -> None:
    for seed, (name, form) in enumerate({**FORMS, **NESTED}.items()):
        secret = kind.make(random.Random(seed))
        if len(secret.value) >= LONG:
            assert not survives(secret.value, mask_text(form(secret.text)).text), name


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.name)
def test_what_is_told_of_it_does_not_give_it_away(kind: Kind) -> None:
    secret = kind.make(random.Random(3))
    found = mask_text(secret.text, "here").findings
    assert found
    for one in found:
        assert one.where == "here"
        assert secret.value not in one.preview
        assert not looks_secret(one.preview)


@pytest.mark.parametrize("look", LOOK_ALIKES, ids=lambda look: look.name)
def test_a_look_alike_stays(look: LookAlike) -> None:
    for seed in range(6):
        text = look.make(random.Random(seed))
        assert mask_text(text).text == text
        value = {"log": [text, "and on"], "text": text}
        assert mask_value(value).value == value
