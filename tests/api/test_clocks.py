"""A clock that jumps, and leases that are over before anybody wrote it down."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine

from stuckbot.lib import clock
from stuckbot.lib.models import Event
from tests.api.refusals import nothing_changes, refused
from tests.matrix.scene import Scene
from tests.support import Api, Desk, file_ticket, prove, resolve
from tickets.models import Ticket

HOUR = timedelta(hours=1)


@pytest.fixture
def traveller() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        yield traveller


@pytest.mark.parametrize("jump", [timedelta(days=-3650), -HOUR, timedelta(seconds=-1)])
def test_it_works_on_when_the_clock_jumps_back(
    jump: timedelta, traveller: time_machine.Traveller, desk: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", idempotency_key="k").ok()
    traveller.shift(jump)
    file_ticket(stuck)
    assert solver.post("/api/v1/tickets/SB-1/claim", idempotency_key="k").status == 200
    solver.post("/api/v1/tickets/SB-1/claim/renew").ok()
    solver.post("/api/v1/agents/me/heartbeat", {"tickets": ["SB-1"]}).ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": "x"}).ok(201)
    prove(solver, "SB-1").ok(201)
    prove(solver, "SB-1", exit_code=1).ok(201)
    failing = solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"})
    assert failing.details == {"missing": [], "failing": ["b1"]}
    prove(solver, "SB-1").ok(201)
    solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    assert resolve(solver, "SB-2")["state"] == "blocker_resolved"
    seqs = Event.objects.of(desk.org.id).order_by("seq").values_list("seq", flat=True)
    assert list(seqs) == list(range(1, len(seqs) + 1))
    heard = [one["id"] for one in stuck.get("/api/v1/work").ok()["updates"]]
    assert heard == sorted(heard)


def test_a_renewal_never_shortens_a_lease(
    traveller: time_machine.Traveller, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    first = solver.post("/api/v1/tickets/SB-1/claim").ok()["ticket"]["claim"]["expires_at"]
    traveller.shift(-HOUR)
    for reply in (
        solver.post("/api/v1/tickets/SB-1/claim/renew"),
        solver.post("/api/v1/tickets/SB-1/claim/renew"),
    ):
        assert reply.ok()["ticket"]["claim"]["expires_at"] == first


def test_it_works_on_when_the_clock_jumps_ahead_and_back(
    traveller: time_machine.Traveller, desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    traveller.shift(2 * HOUR)
    assert racer.post("/api/v1/tickets/SB-1/claim").ok()["ticket"]["state"] == "claimed"
    traveller.shift(-2 * HOUR)
    # What was decided stays: the ticket is the racer's, whatever the clock says now.
    refused(solver.post("/api/v1/tickets/SB-1/claim"), 409, "already_claimed")
    refused(solver.post("/api/v1/tickets/SB-1/claim/renew"), 409, "not_claim_holder")
    prove(racer, "SB-1").ok(201)
    racer.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    refused(solver.post("/api/v1/tickets/SB-1/claim/renew"), 409, "not_claim_holder")


def test_it_pages_by_time_though_the_clock_jumped(
    traveller: time_machine.Traveller, stuck: Api
) -> None:
    for jump in (timedelta(0), -HOUR, 2 * HOUR, -2 * HOUR, timedelta(0)):
        traveller.shift(jump)
        file_ticket(stuck)
    seen, cursor = [], ""
    while True:
        page = stuck.get(f"/api/v1/tickets?limit=1{cursor}").ok()
        seen += [one["ref"] for one in page["tickets"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert sorted(seen) == [f"SB-{number}" for number in range(1, 6)]


FREED = {"claimed": "open", "working": "open", "continuing": "blocker_resolved"}


@pytest.mark.parametrize("state", FREED)
def test_every_reader_sees_at_once_that_a_lease_is_over(
    state: str, traveller: time_machine.Traveller, desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    scene = Scene(desk, stuck, solver, "takeover")
    scene.reach(state)
    assert racer.get("/api/v1/work").ok()["claimable"] == []
    traveller.shift(timedelta(minutes=60))
    with nothing_changes():
        detail = racer.get(scene.path).ok()["ticket"]
        assert (detail["state"], detail["claim"]) == (FREED[state], None)
        assert detail["status_color"] == "ORANGE"
        take = "continue_task" if state == "continuing" else "claim_ticket"
        assert take in detail["you"]["can"]
        mine = solver.get(scene.path).ok()["ticket"]["you"]
        assert mine["holds_claim"] is False
        assert take in mine["can"]
        assert not {"post_update", "renew_claim", "submit_stage"} & set(mine["can"])
        for query, found in (
            (FREED[state], 1),
            (state, 0),
            (f"{state},{FREED[state]}", 1),
            ("closed", 0),
        ):
            assert len(racer.get(f"/api/v1/tickets?state={query}").ok()["tickets"]) == found
        for color, found in (("ORANGE", 1), ("YELLOW", 0)):
            assert len(racer.get(f"/api/v1/tickets?color={color}").ok()["tickets"]) == found
        offered = racer.get("/api/v1/work").ok()["claimable"]
        assert [(one["ref"], one["work"]) for one in offered] == [("SB-1", take.partition("_")[0])]
        assert solver.get("/api/v1/agents/me").ok()["claims"] == []


@pytest.mark.parametrize("state", FREED)
def test_a_former_holder_holds_no_more(
    state: str, traveller: time_machine.Traveller, desk: Desk, stuck: Api, solver: Api
) -> None:
    scene = Scene(desk, stuck, solver, "takeover")
    scene.reach(state)
    traveller.shift(timedelta(minutes=60))
    writes = {
        "claim/renew": None,
        "updates": {"body": "x"},
        "release": {},
        "escalate": {"reason": "x"},
        "submit": {"stage": "task" if state == "continuing" else "blocker"},
        "evidence": {
            "criterion": "b1",
            "type": "command_run",
            "payload": {"command": "npm ci", "exit_code": 0},
        },
    }
    with nothing_changes():
        for place, body in writes.items():
            refused(solver.post(f"{scene.path}/{place}", body), 409, "not_claim_holder")
    again = "continue" if state == "continuing" else "claim"
    assert solver.post(f"{scene.path}/{again}").ok()["ticket"]["claim"] is not None


def test_a_heartbeat_revives_no_lease_that_is_over(
    traveller: time_machine.Traveller, desk: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    traveller.shift(timedelta(minutes=60))
    solver.post("/api/v1/agents/me/heartbeat", {"tickets": ["SB-1"]}).ok()
    assert solver.get("/api/v1/tickets/SB-1").ok()["ticket"]["state"] == "open"
    until = Ticket.objects.of(desk.org.id).get().lease_until
    assert until is not None
    assert until <= clock.now()


def test_a_heartbeat_renews_what_it_names_and_no_other(
    traveller: time_machine.Traveller, stuck: Api, solver: Api
) -> None:
    for number in (1, 2):
        file_ticket(stuck)
        solver.post(f"/api/v1/tickets/SB-{number}/claim").ok()
    traveller.shift(timedelta(minutes=50))
    solver.post("/api/v1/agents/me/heartbeat", {"tickets": ["sb-1", "SB-1"]}).ok()
    traveller.shift(timedelta(minutes=20))
    states = [
        solver.get(f"/api/v1/tickets/SB-{number}").ok()["ticket"]["state"] for number in (1, 2)
    ]
    assert states == ["claimed", "open"]
