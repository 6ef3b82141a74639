"""A shared board offers each caller what an own look would, and is never old for long."""

import random
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Actor, Project
from accounts.services.orgs import project_make, system_caller
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.models import OrgClock
from stuckbot.lib.unit import unit_of_work
from tests.matrix.scene import undone
from tests.support import Api, Desk, file_ticket
from tickets import offer_board
from tickets.models import Ticket
from tickets.offer_board import boards_forget, offers_for
from tickets.offers import WorkFilter, offers_list


def offered(caller: Caller, wish: WorkFilter = WorkFilter()) -> list[int]:  # noqa: B008
    seq = OrgClock.objects.of(caller.org_id).get().offer_seq
    found = offers_for(actor=caller, wish=wish, offer_seq=seq, now=clock.now())
    return [card.facts.number for card in found.cards]


def own_look(caller: Caller, wish: WorkFilter, most: int) -> list[int]:
    cards = offers_list(actor=caller, wish=wish, now=clock.now())
    return [card.facts.number for card in cards][:most]


def step(desk: Desk) -> None:
    with unit_of_work(system_caller(desk.org.id), clock.now()) as unit:
        unit.offer_changed()


class House:
    """Some tickets of several agents in two projects, and callers who read one or both."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        side = project_make(org=desk.org, name="Side", now=clock.now())
        self.projects = [desk.org.default_project_id, side.id]
        apis = [desk.agent(f"agent {number}") for number in range(4)]
        for api in apis:
            for labels in (["ci"], ["ci", "slow"], []):
                file_ticket(api, labels=labels, required_skills=["go"] if labels else [])
        ids = Actor.objects.of(desk.org.id).filter(kind="agent").values_list("id", flat=True)
        self.agents = list(ids)
        self.callers = [
            Caller(id=one, org_id=desk.org.id, kind="agent", name="a", project_ids=reads)
            for one in self.agents
            for reads in (None, frozenset([side.id]))
        ]

    def shuffle(self, chance: random.Random) -> None:
        for ticket in Ticket.objects.of(self.desk.org.id):
            overdue = chance.random() < 0.2
            leased = {
                "state": "claimed",
                "claim_id": ticket.id,
                "solver_id": chance.choice(self.agents),
                "lease_until": clock.now(),
            }
            row = Ticket.objects.of(self.desk.org.id).filter(id=ticket.id)
            row.update(
                urgency=chance.randint(1, 10),
                creator_id=chance.choice(self.agents),
                reserved_for_id=chance.choice([None, None, *self.agents]),
                project_id=chance.choice(self.projects),
                offer_at=None if chance.random() < 0.2 else clock.now(),
                mode=chance.choice(["blocker_only", "takeover_allowed"]),
                **(leased if overdue else {}),
            )


@pytest.fixture
def house(desk: Desk) -> House:
    return House(desk)


WISHES = (
    WorkFilter(),
    WorkFilter(min_urgency=6),
    WorkFilter(labels=("ci",)),
    WorkFilter(labels=("ci", "slow")),
    WorkFilter(skills=("go",)),
    WorkFilter(skills=("rust",)),
    WorkFilter(modes=("blocker_only",)),
)


@pytest.mark.parametrize(("most", "held"), [(100, 200), (3, 6), (2, 3), (1, 20)])
def test_it_offers_what_an_own_look_would(
    house: House, most: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offer_board, "MOST", most)
    monkeypatch.setattr(offer_board, "HELD_MOST", held)
    with connection.constraint_checks_disabled():
        for seed in range(2):
            with undone():
                house.shuffle(random.Random(seed))
                boards_forget()
                for wish in WISHES:
                    for caller in house.callers:
                        assert offered(caller, wish)[:most] == own_look(caller, wish, most)
                _claims_away(house.desk)


def _claims_away(desk: Desk) -> None:
    Ticket.objects.of(desk.org.id).update(state="open", claim_id=None, lease_until=None)


def test_one_look_serves_all_who_want_the_same(house: House) -> None:
    with CaptureQueriesContext(connection) as first:
        offered(house.callers[0])
    with CaptureQueriesContext(connection) as rest:
        for caller in house.callers[2::2]:
            offered(caller)
    assert len(rest) == 3  # each read what the org's offers stand at, for this test alone
    assert len(first) > 3


def test_a_change_is_seen_at_once_and_reads_the_changed_alone(house: House, stuck: Api) -> None:
    caller = house.callers[0]
    before = offered(caller)
    file_ticket(stuck)
    with CaptureQueriesContext(connection) as captured:
        assert len(offered(caller)) == len(before) + 1
    read = [one["sql"] for one in captured.captured_queries if "t.title_id" in one["sql"]]
    newest = Ticket.objects.of(caller.org_id).order_by("-number").values_list("id", flat=True)
    assert len(read) == 1
    assert [one in read[0].replace("-", "") for one in (newest[0].hex, newest[1].hex)] == [
        True,
        False,
    ]


def test_a_flood_of_changes_is_looked_up_now_and_then(
    desk: Desk, house: House, stuck: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past its refreshes a board serves for half a second, and no longer."""
    at = [1000.0]
    monkeypatch.setattr(offer_board, "perf_counter", lambda: at[0])
    caller = house.callers[0]
    looks: list[float] = []
    made = offer_board._made

    def counted(*args: Any) -> Any:
        looks.append(at[0])
        return made(*args)

    monkeypatch.setattr(offer_board, "_made", counted)
    boards_forget()
    offer_board._places[(caller.org_id, None, WorkFilter())] = offer_board._Place(filled=at[0])
    for _ in range(10 * 50):
        step(desk)
        offered(caller)
        at[0] += 0.02
    in_ten_seconds = offer_board.REFRESHES_AT_ONCE + 10 * offer_board.REFRESHES_A_SECOND + 1
    assert len(looks) <= in_ten_seconds + 1
    assert max(b - a for a, b in pairwise(looks)) <= 0.5 + 0.021
    at[0] += 0.51
    file_ticket(stuck)
    newest = Ticket.objects.of(desk.org.id).order_by("-number").values_list("number", flat=True)
    assert newest[0] in offered(caller)


def test_a_paused_project_leaves_the_board(desk: Desk, house: House, alice: Api) -> None:
    caller = house.callers[0]
    assert offered(caller) != []
    for project in Project.objects.of(desk.org.id):
        alice.post(f"/api/v1/projects/{project.id}/pause", {}).ok()
    assert offered(caller) == []
