"""The words of the page for addresses that the desk opens by itself."""

import re

import pytest

from stuckbot.site.pages.url_words import OTHER, WHY, why

#: What no person is to read: codes, and names of parts of the desk.
_INTERNAL = re.compile(r"_|\bunchecked\b|\bTLS\b|\bDNS\b|\bSSRF\b|external")


@pytest.mark.parametrize("code", [*WHY, "unheard_of"])
def test_each_reason_is_said_in_plain_words(code: str) -> None:
    said = why(code)
    for text in (str(said.means), str(said.now)):
        assert not _INTERNAL.search(text), text
        assert text[0].isupper(), text
        assert text.endswith("."), text
        assert len(text) < 170, text
    assert str(said.short)[0].islower() or str(said.short).startswith("StuckBot")
    assert not str(said.short).endswith(".")


def test_a_reason_that_nobody_knows_says_the_least() -> None:
    assert why("unheard_of") is OTHER


def test_each_reason_is_another() -> None:
    assert len({str(one.means) for one in WHY.values()}) == len(WHY)
    assert len({str(one.short) for one in WHY.values()}) == len(WHY)
