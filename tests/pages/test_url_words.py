"""The words of the page for addresses that the desk opens by itself."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stuckbot.lib.outgoing import FAILURES, REFUSALS, SECONDS
from stuckbot.lib.outgoing.exchange import USER_AGENT
from stuckbot.site.pages.timeline import happened
from stuckbot.site.pages.url_checks import TRIES
from stuckbot.site.pages.url_words import OTHER, WHY, why
from stuckbot.site.server.checker import THREADS
from verification.services.url_checks import DESK_FAILED, FAILURES_MOST, PAUSES
from verification.services.url_queue import HOST_AT_ONCE, ORG_AT_ONCE

ROOT = Path(__file__).resolve().parents[2]
_NUMBERS = {3: "three", 5: "five"}
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


def test_no_reason_goes_without_words() -> None:
    assert {*WHY} == {*REFUSALS, *FAILURES, DESK_FAILED}
    assert {code for code, one in WHY.items() if not one.sent} == {*REFUSALS, "no_such_name"}


def test_the_page_about_it_is_true() -> None:
    """Each code stands in it, and the times and bounds that it names are those of the code."""
    text = (ROOT / "docs" / "url-checks.md").read_text(encoding="utf-8")
    for code in (*WHY, "not_checked_yet", "superseded", "evidence_added", "checks_finished"):
        assert f"`{code}`" in text, code
    first, second = (int(one.total_seconds()) for one in PAUSES)
    assert f"at once, {first} seconds later, and {second} seconds after that" in text
    assert (
        f"{THREADS} at once, {ORG_AT_ONCE} of them of one organisation, {HOST_AT_ONCE} of one"
        in text
    )
    assert f"{SECONDS:.0f} seconds in all" in text
    assert f"User-Agent: {USER_AGENT}\n" in text
    assert f"failed at it {_NUMBERS[FAILURES_MOST]} times" in text
    assert len(PAUSES) + 1 == TRIES


def test_a_reason_that_nobody_knows_says_the_least() -> None:
    assert why("unheard_of") is OTHER


def test_each_reason_is_another() -> None:
    assert len({str(one.means) for one in WHY.values()}) == len(WHY)
    assert len({str(one.short) for one in WHY.values()}) == len(WHY)


@pytest.mark.parametrize(
    ("type_", "data", "says"),
    [
        ("url_check_skipped", {"reason": "not_public"}, "StuckBot could not check b1: not public."),
        ("url_check_skipped", {"reason": "new"}, "StuckBot could not check b1: it could not be"),
        ("url_check_skipped", {}, "StuckBot could not check b1."),
        ("evidence_added", {"result": "pass"}, "StuckBot opened the address of b1 itself, and it"),
        ("evidence_added", {"result": "fail"}, "and it fails."),
        ("evidence_added", {"result": "other"}, "StuckBot sent proof for b1."),
        ("checks_finished", {"verification_state": "waiting_person"}, "A person is asked."),
        ("checks_finished", {"verification_state": "waiting_agent"}, "Another agent is to check"),
        ("checks_finished", {}, "StuckBot has ended its own checks."),
    ],
)
def test_the_timeline_says_what_came_of_a_check(
    type_: str, data: dict[str, str], says: str
) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    event = {
        "type": type_,
        "at": at.isoformat(),
        "actor": {"kind": "system", "name": "StuckBot"},
        "data": {"criterion": "b1", **data},
    }
    sentence = re.sub("<.*?>", "", happened(event, at).sentence)
    assert says in sentence, sentence


@pytest.mark.parametrize(
    ("kind", "type_", "says"),
    [
        ("system", "budget", "The agent at work reached a limit of its budget."),
        ("agent", "budget", "ci-7 said that it reached its budget."),
        ("agent", "self_report", "ci-7 said that it is stuck."),
        ("agent", "unheard_of", "ci-7 sent a signal about itself."),
    ],
)
def test_the_timeline_says_who_raised_a_signal(kind: str, type_: str, says: str) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    actor = {"kind": kind, "name": "ci-7"}
    event = {"type": "signal_raised", "at": at.isoformat(), "actor": actor, "data": {"type": type_}}
    assert re.sub("<.*?>", "", happened(event, at).sentence) == says
