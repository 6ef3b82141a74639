"""The judge of the corpus tells what is gone from what is left in part or in another form."""

import base64

import pytest

from tests.masking.corpus.judging import Verdict, verdict
from tests.masking.corpus.making import Secret

LONG = Secret("Kq7+vT2z/Lw9Xy4B", 'login as app with "Kq7+vT2z/Lw9Xy4B" failed')
_SHORT_TEXT = "next: postgres://app:x@db/app"
SHORT = Secret("x", _SHORT_TEXT, at=_SHORT_TEXT.index("x@"))


@pytest.mark.parametrize(
    "masked",
    ['login as app with "[REDACTED]" failed', "login as app with [REDACTED] failed", "[REDACTED]"],
)
def test_it_takes_a_secret_that_is_gone_as_covered(masked: str) -> None:
    assert verdict(LONG, masked) is Verdict.WHOLE


@pytest.mark.parametrize(
    "form",
    [
        LONG.value,
        "Kq7%2BvT2z%2FLw9Xy4B",
        base64.b64encode(LONG.value.encode()).decode(),
        base64.b64encode(LONG.value.encode()).decode().rstrip("="),
    ],
)
def test_it_finds_a_secret_in_another_form(form: str) -> None:
    assert verdict(LONG, f"[REDACTED] and {form}") is Verdict.MISSED


@pytest.mark.parametrize(
    "masked",
    [
        'login as app with "[REDACTED]Lw9Xy4B" failed',
        'login as app with "[REDACTED]y4B" failed',
        'login as app with "Kq7[REDACTED]" failed',
    ],
)
def test_it_finds_what_is_left_of_a_secret(masked: str) -> None:
    assert verdict(LONG, masked) is Verdict.PARTLY


def test_it_tells_a_short_secret_from_the_same_letter_elsewhere() -> None:
    assert verdict(SHORT, SHORT.text) is Verdict.MISSED
    assert verdict(SHORT, "next: postgres://app:[REDACTED]@db/app") is Verdict.WHOLE


def test_it_looks_at_both_halves_of_a_secret_that_was_wrapped() -> None:
    wrapped = Secret("ghp_abcdefgh\nijklmnop", "token ghp_abcdefgh\nijklmnop refused")
    assert verdict(wrapped, "token [REDACTED]\nijklmnop refused") is Verdict.PARTLY
    assert verdict(wrapped, "token [REDACTED]\n[REDACTED] refused") is Verdict.WHOLE
