"""A day of many agents, with everything that can go wrong, ends in order."""

import os

import pytest
import time_machine

from accounts.states import Role
from stuckbot.lib.models import Event
from tests.simulation.day import Day
from tests.simulation.world import MORNING
from tests.support import make_desk

SEED = int(os.environ.get("DAY_SEED", "20310303"))


#: What has to happen in a day for it to say anything.
HAPPENS = frozenset(
    (
        *("ticket_created", "ticket_claimed", "task_continued", "ticket_released"),
        *("claim_expired", "claim_ending", "update_posted", "evidence_added", "stage_submitted"),
        *("stage_approved", "stage_rejected", "verification_claimed", "verification_passed_on"),
        *("needs_human", "ticket_sent_back", "ticket_handed_off", "ticket_closed"),
        *("ticket_withdrawn", "ticket_reopened", "ticket_paused", "ticket_resumed"),
        *("ticket_blocked", "ticket_unblocked", "comment_added", "ticket_edited"),
        *("signal_raised", "handoff_requested", "request_acknowledged"),
    )
)
#: What a small day may do without, since few do it or seldom.
RARE = frozenset(
    (
        *("ticket_paused", "ticket_resumed", "ticket_reopened", "ticket_edited"),
        "ticket_withdrawn",
        *("verification_passed_on", "signal_raised", "handoff_requested", "request_acknowledged"),
    )
)
BEFALLS = frozenset(("web died", "worker died", "busy", "answer lost", "agent died", "went silent"))
#: Few agents die, and where only twenty live all of them may well get through the day.
SELDOM = frozenset(("agent died",))


def live(
    patch: pytest.MonkeyPatch,
    seed: int,
    wanted: frozenset[str],
    befalls: frozenset[str],
    *,
    crowd: int,
    tickets: int,
) -> None:
    """Lives the whole day; what is wrong names the seed and the story of the ticket."""
    people = {"alice": Role.OWNER, "bob": Role.MEMBER}
    with time_machine.travel(MORNING, tick=False) as traveller:
        day = Day(make_desk("Acme", people), traveller, seed, crowd=crowd, tickets=tickets)
        day.world.faults.plant(patch)
        day.live()
    counts = day.world.counts
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    print({reason: len(refs) for reason, refs in day.waiting.items()})
    happened = Event.objects.of(day.world.desk.org.id).values_list("type", flat=True).distinct()
    assert set(happened) >= wanted, f"seed {seed}: never {wanted - set(happened)}"
    assert [what for what in befalls if not counts[what]] == []
    assert len(day.world.tickets) >= tickets


@pytest.mark.django_db(transaction=True)
def test_a_tenth_of_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    live(monkeypatch, SEED, HAPPENS - RARE, BEFALLS - SELDOM, crowd=20, tickets=200)


@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
def test_a_whole_day(monkeypatch: pytest.MonkeyPatch) -> None:
    live(monkeypatch, SEED, HAPPENS, BEFALLS, crowd=200, tickets=2000)
