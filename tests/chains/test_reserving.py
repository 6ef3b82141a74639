"""A ticket that is kept for one agent, and how that never strands it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Agent, Connector, Token
from accounts.services.orgs import connector_disable, system_caller
from stuckbot.lib import clock
from stuckbot.lib.models import Event, Timer
from stuckbot.site.tasks import sweep
from tests.chains.house import agent_id, claim, detail, hand_on, offered, row, types
from tests.support import Api, Desk, file_ticket, make_package

DAY = timedelta(days=1)


def file_for(api: Api, agent: str, **changes: Any) -> Any:
    body = {"package": make_package(**changes), "for_agent": agent}
    return api.post("/api/v1/tickets", body)


@pytest.fixture
def kept(stuck: Api, racer: Api) -> str:
    file_ticket(stuck, urgency=9)
    ticket = file_for(stuck, agent_id(racer), urgency=2).ok(201)["ticket"]
    assert ticket["reserved_for"] == {"id": agent_id(racer), "kind": "agent", "name": "racer"}
    assert ticket["content"]["status_detail"] == "Kept for racer."
    return str(ticket["ref"])


def later(time: timedelta) -> Any:
    return time_machine.travel(clock.now() + time, tick=False)


def heard_from(desk: Desk, at: datetime) -> None:
    """Every agent called at that time, and renewed its token."""
    Token.objects.of(desk.org.id).filter(kind="sba").update(used_at=at, expires_at=at + DAY)


def test_it_is_offered_first_to_the_one_and_to_nobody_else(
    solver: Api, racer: Api, kept: str
) -> None:
    assert offered(racer) == [kept, "SB-1"]
    assert offered(solver) == ["SB-1"]
    reply = solver.post(f"/api/v1/tickets/{kept}/claim", {})
    assert (reply.status, reply.code) == (403, "not_eligible")
    assert "claim_ticket" not in detail(solver, kept)["you"]["can"]
    assert detail(solver, kept)["state"] == "open"
    told = [one["type"] for one in racer.get("/api/v1/work").ok()["updates"]]
    assert told == ["ticket_created"]


def test_filters_hold_for_what_is_kept_too(racer: Api, kept: str) -> None:
    assert offered(racer, "?min_urgency=5") == ["SB-1"]
    assert offered(racer, "?labels=ci") == []


def test_it_is_kept_until_it_is_taken(desk: Desk, solver: Api, racer: Api, kept: str) -> None:
    claim(racer, kept)
    assert detail(racer, kept)["reserved_for"] is None
    racer.post(f"/api/v1/tickets/{kept}/release", {"note": "Not for me"}).ok()
    assert offered(solver) == ["SB-1", kept]
    with later(4 * DAY):
        sweep()
    assert "reservation_dropped" not in types(desk, 2)


def test_a_ticket_may_be_kept_for_its_own_creator(stuck: Api, solver: Api) -> None:
    ref = file_for(stuck, agent_id(stuck)).ok(201)["ticket"]["ref"]
    assert (offered(stuck), offered(solver)) == ([ref], [])


@pytest.mark.parametrize("way", ["file", "hand on", "edit"])
def test_it_is_kept_for_agents_that_could_take_it_alone(
    way: str, desk: Desk, other: Desk, stuck: Api, solver: Api, alice: Api
) -> None:
    file_ticket(stuck)
    claim(solver, "SB-1")
    gone, blind = desk.agent("gone"), desk.agent("blind", scopes=["tickets:read_project"])
    gone_id, blind_id = agent_id(gone), agent_id(blind)
    gone.post("/api/v1/agents/me/retire").ok()

    def ask(agent: str) -> Any:
        if way == "file":
            return file_for(stuck, agent)
        if way == "hand on":
            return hand_on(solver, "SB-1", for_agent=agent)
        edit = {"reserved_for": agent, "version": row(desk, 1).version}
        return alice.call("PATCH", "/api/v1/tickets/SB-1", edit)

    path = "reserved_for" if way == "edit" else "for_agent"
    for agent in (agent_id(other.agent("foreign")), str(desk.people["bob"].actor_id)):
        assert (ask(agent).status, ask(agent).code) == (404, "not_found")
    for agent in (gone_id, blind_id, "racer"):
        reply = ask(agent)
        assert (reply.status, [one["path"] for one in reply.details["fields"]]) == (422, [path])
    assert row(desk, 1).reserved_for_id is None
    assert row(desk, 1).state == "claimed"


def test_a_person_keeps_it_for_one_and_lets_anyone_take_it(
    desk: Desk, stuck: Api, solver: Api, racer: Api, alice: Api
) -> None:
    file_ticket(stuck)

    def keep(agent: str | None) -> Any:
        edit = {"reserved_for": agent, "version": row(desk, 1).version}
        return alice.call("PATCH", "/api/v1/tickets/SB-1", edit).ok()["ticket"]

    assert keep(agent_id(racer))["reserved_for"]["name"] == "racer"
    assert (offered(racer), offered(solver)) == (["SB-1"], [])
    assert keep(None)["reserved_for"] is None
    assert (offered(racer), offered(solver)) == (["SB-1"], ["SB-1"])
    edited = Event.objects.of(desk.org.id).filter(type="ticket_edited").order_by("seq")
    assert [one.data for one in edited] == [
        {"reserved_for": agent_id(racer)},
        {"reserved_for": None},
    ]
    assert keep(None)["version"] == row(desk, 1).version
    bare = {"reserved_for": None, "version": row(desk, 1).version}
    assert stuck.call("PATCH", "/api/v1/tickets/SB-1", bare).code == "not_eligible"


def test_nobody_keeps_a_closed_ticket(desk: Desk, stuck: Api, racer: Api, alice: Api) -> None:
    file_ticket(stuck)
    stuck.post("/api/v1/tickets/SB-1/withdraw").ok()
    edit = {"reserved_for": agent_id(racer), "version": row(desk, 1).version}
    assert alice.call("PATCH", "/api/v1/tickets/SB-1", edit).code == "invalid_transition"


def test_it_is_dropped_when_its_agent_retires(
    desk: Desk, stuck: Api, solver: Api, racer: Api, kept: str
) -> None:
    who = agent_id(racer)
    racer.post("/api/v1/agents/me/retire").ok()
    assert types(desk, 2)[-1] == "reservation_dropped"
    told = stuck.get("/api/v1/work").ok()["updates"]
    assert (told[-1]["type"], told[-1]["data"]) == (
        "reservation_dropped",
        {"agent_id": who, "why": "agent_gone"},
    )
    assert offered(solver) == ["SB-1", kept]


def test_it_is_dropped_when_its_fleet_is_locked_out(
    desk: Desk, stuck: Api, racer: Api, kept: str, alice: Api
) -> None:
    connector = Connector.objects.of(desk.org.id).get()
    connector_disable(actor=system_caller(desk.org.id), connector=connector, now=clock.now())
    sweep()
    assert row(desk, 2).reserved_for_id is None


@pytest.mark.parametrize("way", ["silent", "token over", "stopped", "scope taken"])
def test_it_is_dropped_when_its_agent_is_gone(way: str, desk: Desk, racer: Api, kept: str) -> None:
    agents = Agent.objects.of(desk.org.id).filter(name="racer")
    tokens = Token.objects.of(desk.org.id).filter(agent__name="racer")
    now = clock.now()
    if way == "silent":
        tokens.update(expires_at=None)
    elif way == "token over":
        tokens.update(expires_at=now + timedelta(minutes=30))
        agents.update(last_seen_at=now)
    elif way == "stopped":
        agents.update(stopped_at=now)
    else:
        agents.update(scopes=["tickets:read_project"])
    bound = DAY if way == "silent" else timedelta(hours=1)
    with later(bound - timedelta(minutes=5)):
        sweep()
        assert row(desk, 2).reserved_for_id is not None
    with later(bound + timedelta(seconds=5)):
        sweep()
        sweep()
    assert row(desk, 2).reserved_for_id is None
    assert types(desk, 2) == ["ticket_created", "reservation_dropped"]


def test_it_stays_while_its_agent_is_heard_of(desk: Desk, racer: Api, kept: str) -> None:
    for hours in range(1, 60, 7):
        with later(timedelta(hours=hours)):
            heard_from(desk, clock.now())
            sweep()
    assert row(desk, 2).reserved_for_id is not None
    timers = Timer.objects.of(desk.org.id).filter(kind="reservation")
    assert timers.count() == 1


def test_it_waits_three_days_for_one_that_does_not_take_it(
    desk: Desk, solver: Api, racer: Api, kept: str
) -> None:
    for hours in range(0, 73, 6):
        with later(timedelta(hours=hours, minutes=1)):
            heard_from(desk, clock.now())
            sweep()
    dropped = Event.objects.of(desk.org.id).get(type="reservation_dropped")
    assert dropped.data["why"] == "not_taken"
    with later(timedelta(hours=73)):
        assert offered(solver) == ["SB-1", kept]


def test_it_waits_longer_while_it_cannot_be_taken(
    desk: Desk, racer: Api, alice: Api, kept: str
) -> None:
    alice.post(f"/api/v1/tickets/{kept}/pause").ok()
    for days in range(1, 6):
        with later(days * DAY):
            heard_from(desk, clock.now())
            sweep()
    assert row(desk, 2).reserved_for_id is not None


def test_what_is_closed_and_opened_again_is_for_all(
    desk: Desk, solver: Api, racer: Api, alice: Api, kept: str
) -> None:
    alice.post(f"/api/v1/tickets/{kept}/close", {}).ok()
    alice.post(f"/api/v1/tickets/{kept}/reopen").ok()
    assert offered(solver) == ["SB-1", kept]


def test_a_handoff_names_who_is_to_carry_on(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    file_ticket(stuck)
    claim(solver, "SB-1")
    child = hand_on(solver, "SB-1", for_agent=agent_id(racer)).ok(201)["child"]
    assert child["reserved_for"]["name"] == "racer"
    assert offered(racer) == ["SB-2"]
    assert offered(stuck) == []
    told = [one["type"] for one in racer.get("/api/v1/work").ok()["updates"]]
    assert "ticket_created" in told
