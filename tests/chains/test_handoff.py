"""Handing a ticket on to a child."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Agent
from stuckbot.lib import clock
from stuckbot.lib.models import Event, Inbox
from tests.chains.house import agent_id, claim, detail, hand_on, offered, row, types
from tests.matrix.scene import approval
from tests.support import TAKEOVER, Api, Desk, file_ticket, make_package, prove
from tickets.models import Ticket
from tickets.services import handoff
from tickets.services.intake import package_take
from tickets.services.reserving import reserved_get


@pytest.fixture
def held(stuck: Api, solver: Api) -> str:
    ref = str(file_ticket(stuck)["ref"])
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    return ref


def test_it_goes_on_in_a_child(desk: Desk, stuck: Api, solver: Api, held: str) -> None:
    told = hand_on(solver, held, reason="My context is full").ok(201)
    parent, child = told["ticket"], told["child"]
    assert (parent["ref"], parent["state"], parent["claim"]) == ("SB-1", "handed_off", None)
    assert parent["status"]["rule"] == "handed_off"
    assert (child["ref"], child["state"], child["depth"]) == ("SB-2", "open", 1)
    assert (child["root_id"], child["parent_id"]) == (parent["id"], parent["id"])
    assert child["project_id"] == parent["project_id"]
    assert child["created_by"]["name"] == "solver"
    assert child["content"]["title"] == "What is left of it"
    events = Event.objects.of(desk.org.id).order_by("seq")
    handed, made = events.filter(type__in=("ticket_handed_off", "ticket_created"))[1:]
    assert handed.data == {
        "from": "claimed",
        "to": "handed_off",
        "child": {"id": child["id"], "ref": "SB-2"},
    }
    assert made.data["parent"] == {"id": parent["id"], "ref": "SB-1"}
    heard = stuck.get("/api/v1/work").ok()["updates"]
    assert [one["type"] for one in heard] == ["ticket_claimed", "ticket_handed_off"]
    assert heard[-1]["content"] == {"reason": "My context is full"}
    assert Inbox.objects.of(desk.org.id).filter(seq=handed.seq).count() == 1
    claims = Ticket.objects.of(desk.org.id).get(number=1).claims.all()
    assert [one.end_reason for one in claims] == ["handed_off"]


def test_the_chain_is_readable_from_each_of_its_tickets(
    stuck: Api, solver: Api, racer: Api, held: str
) -> None:
    hand_on(solver, held, reason="Too large for me").ok(201)
    racer.post("/api/v1/tickets/SB-2/claim", {}).ok()
    hand_on(racer, "SB-2", package=make_package(title="The very last part")).ok(201)
    chains = [stuck.get(f"/api/v1/tickets/SB-{n}").ok()["ticket"] for n in (1, 2, 3)]
    assert chains[0]["chain"] == chains[1]["chain"] == chains[2]["chain"]
    assert [one["chain_more"] for one in chains] == [0, 0, 0]
    shown = [
        (one["ref"], one["state"], one["status_color"], one["depth"], one["created_by"]["name"])
        for one in chains[0]["chain"]
    ]
    assert shown == [
        ("SB-1", "handed_off", "GREEN", 0, "stuck"),
        ("SB-2", "handed_off", "GREEN", 1, "solver"),
        ("SB-3", "open", "ORANGE", 2, "racer"),
    ]
    assert [one["content"] for one in chains[0]["chain"][1:]] == [
        {"title": "What is left of it", "handoff_reason": "Too large for me"},
        {"title": "The very last part", "handoff_reason": None},
    ]


def test_a_ticket_alone_is_a_chain_of_itself(stuck: Api) -> None:
    ticket = file_ticket(stuck)
    assert [one["id"] for one in ticket["chain"]] == [ticket["id"]]
    again = stuck.get("/api/v1/tickets/SB-1").ok()["ticket"]
    assert again["chain"] == ticket["chain"]
    assert (again["handover"], ticket["handover"]) == ([], [])


def nothing_moved(desk: Desk, solver: Api) -> None:
    """The ticket is still held, nothing was told and nothing made."""
    ticket = row(desk, 1)
    assert (ticket.state, Ticket.objects.of(desk.org.id).count()) == ("claimed", 1)
    assert types(desk, 1) == ["ticket_created", "ticket_claimed"]
    solver.post("/api/v1/tickets/SB-1/claim/renew").ok()


@pytest.mark.parametrize(
    ("body", "status", "code", "faults"),
    [
        (
            {"package": make_package(title="", objective=1)},
            422,
            "invalid_request",
            {"package.title", "package.objective"},
        ),
        ({"package": {}}, 422, "invalid_request", {"package.title", "package.objective"}),
        ({"package": make_package(context={"logs": "x" * 270_000})}, 413, "too_large", set()),
        ({"for_agent": "ci-7"}, 422, "invalid_request", {"for_agent"}),
        ({"for_agent": "0192f0c1-0000-7000-8000-000000000001"}, 404, "not_found", set()),
        ({"reason": "x" * 5_001}, 422, "invalid_request", {"reason"}),
    ],
)
def test_a_refused_handoff_leaves_the_ticket_held(
    body: dict[str, Any],
    status: int,
    code: str,
    faults: set[str],
    desk: Desk,
    solver: Api,
    held: str,
) -> None:
    reply = hand_on(solver, held, **body)
    assert (reply.status, reply.code) == (status, code)
    assert faults <= {one["path"] for one in reply.details.get("fields", [])}
    nothing_moved(desk, solver)


def test_the_holder_alone_hands_on(desk: Desk, stuck: Api, solver: Api, held: str) -> None:
    for api in (stuck, desk.agent("racer"), desk.person("alice")):
        assert hand_on(api, held).code == "not_claim_holder"
    carol = hand_on(desk.person("carol"), held)
    assert (carol.status, carol.code) == (403, "not_eligible")
    poor = desk.agent("poor", scopes=["tickets:read_project", "tickets:claim"])
    reply = hand_on(poor, held)
    assert (reply.code, reply.details["required_scope"]) == (
        "insufficient_scope",
        "handoff:create",
    )
    nothing_moved(desk, solver)


def test_a_lease_that_ran_out_hands_nothing_on(desk: Desk, solver: Api, held: str) -> None:
    with time_machine.travel(clock.now() + timedelta(hours=2), tick=False):
        assert hand_on(solver, held).code == "not_claim_holder"
    assert Ticket.objects.of(desk.org.id).count() == 1


def test_nothing_is_handed_on_in_review(desk: Desk, solver: Api, held: str) -> None:
    approval(desk, "person")  # type: ignore[arg-type]
    prove(solver, held).ok(201)
    solver.post(f"/api/v1/tickets/{held}/submit", {"stage": "blocker"}).ok()
    reply = hand_on(solver, held)
    assert (reply.status, reply.code) == (409, "invalid_transition")
    assert reply.details["state"] == "blocker_review"
    assert Ticket.objects.of(desk.org.id).count() == 1


def test_the_same_key_hands_on_once(desk: Desk, solver: Api, held: str) -> None:
    first = hand_on(solver, held, key="once")
    again = hand_on(solver, held, key="once")
    assert (again.status, again.header("Idempotent-Replayed")) == (201, "true")
    assert again.json == first.ok(201)
    other = hand_on(solver, held, key="once", reason="Another")
    assert other.code == "idempotency_key_reused"
    twice = hand_on(solver, held, key="twice")
    assert twice.code == "not_claim_holder"
    assert Ticket.objects.of(desk.org.id).count() == 2
    renewed = solver.post(f"/api/v1/tickets/{held}/claim/renew")
    assert renewed.code == "state_changed"


def test_it_reopens_by_its_tip_alone(stuck: Api, solver: Api, racer: Api, held: str) -> None:
    hand_on(solver, held).ok(201)
    claim(racer, "SB-2")
    hand_on(racer, "SB-2").ok(201)
    for ref in ("SB-1", "SB-2"):
        api = stuck if ref == "SB-1" else solver
        reply = api.post(f"/api/v1/tickets/{ref}/reopen")
        assert (reply.status, reply.code) == (409, "invalid_transition")
        assert reply.details["tip"] == "SB-3"


def test_the_child_has_its_own_words_and_the_rest_of_the_parents(
    stuck: Api, solver: Api, racer: Api
) -> None:
    file_ticket(stuck, urgency=9, labels=["ci", "db"], required_skills=["docker"])
    file_ticket(stuck, urgency=9, labels=["ci"], required_skills=["docker"])
    claim(solver, "SB-1")
    claim(solver, "SB-2")
    kept = hand_on(solver, "SB-1").ok(201)["child"]
    assert (kept["urgency"], kept["labels"], kept["required_skills"]) == (
        9,
        ["ci", "db"],
        ["docker"],
    )
    words = make_package(urgency=2, labels=["ops"], required_skills=[])
    own = hand_on(solver, "SB-2", package=words).ok(201)["child"]
    assert (own["urgency"], own["labels"], own["required_skills"]) == (2, ["ops"], [])
    assert offered(racer, "?labels=ci") == [kept["ref"]]
    assert offered(racer, "?labels=ops") == [own["ref"]]


def test_whoever_handed_on_is_offered_the_child_no_more(
    stuck: Api, solver: Api, racer: Api, held: str
) -> None:
    hand_on(solver, held).ok(201)
    assert (offered(solver), offered(racer), offered(stuck)) == ([], ["SB-2"], ["SB-2"])


#: Every column of a ticket: how its child gets it.
CARRIED = {
    "org_id": "same",
    "project_id": "same",
    "root_id": "same",
    "assignee_id": "same",
    "paused_at": "same",
    "paused_by_id": "same",
    "pause_reason_id": "same",
    "blocked_since": "same",
    "blocked_reason_id": "same",
    "reserved_for_id": "same: for whom a person kept it; what the handoff names comes first",
    "own_red": "same: it follows from the rest",
    "urgency": "same, unless the package says otherwise",
    "labelset_id": "same, unless the package says otherwise",
    "skillset_id": "same, unless the package says otherwise",
    "gating_asks": "0: questions are carried once there are some",
    "open_deps": "0: dependencies are carried once there are some",
    "broken_deps": "0: dependencies are carried once there are some",
    "mode": "own: of its package",
    "title_id": "own: of its package",
    "summary_id": "own: of its package",
    "fingerprint": "own: of its package",
    "package_n": "own: its first",
    "parent_id": "own",
    "depth": "own",
    "handoff_reason_id": "own: why it is there",
    "id": "own",
    "number": "own",
    "state": "own: open",
    "version": "own: it begins anew",
    "creator_id": "own: whoever handed on",
    "created_at": "own",
    "updated_at": "own",
    "offer_at": "own: it follows from the rest",
    "attempt": "own: attempts are counted apart",
    "rejections_from": "own: attempts are counted apart",
    "solver_id": "none: nobody solved it yet",
    "ever_claimed": "none: nobody held it yet",
    "claim_id": "none: nobody holds it",
    "lease_until": "none: nobody holds it",
    "lease_seconds": "none: nobody holds it",
    "lease_left": "none: nobody holds it",
    "live_until": "none: nobody holds it",
    "warn_at": "none: nobody holds it",
    "waits_for": "none: it is not in review",
    "verifier_id": "none: it is not in review",
    "verifier_until": "none: it is not in review",
    "loop_since": "none: whoever went in circles let go of it",
    "resolution_id": "none: nothing is solved",
    "assurance": "none: nothing is proved by its own criteria",
    "proven": "none: nothing is proved by its own criteria",
    "incomplete": "none: the package is checked in full",
    "missing": "none: the package is checked in full",
    "bar_fixed": "none: its creator may still change the criteria",
    "closed_at": "none: it is open",
}


def test_what_is_open_on_the_parent_goes_on_with_the_child(
    desk: Desk, stuck: Api, solver: Api, racer: Api, alice: Api
) -> None:
    """Each column of the row is carried, its own or empty, and nobody forgot one."""
    file_ticket(stuck, urgency=9, labels=["ci"], required_skills=["docker"], **TAKEOVER)
    claim(solver, "SB-1")
    me = str(desk.people["bob"].actor_id)
    version = row(desk, 1).version
    edit = {"assignee": me, "reserved_for": agent_id(racer), "version": version}
    alice.call("PATCH", "/api/v1/tickets/SB-1", edit).ok()
    alice.post("/api/v1/tickets/SB-1/block", {"reason": "The licence is missing"}).ok()
    alice.post("/api/v1/tickets/SB-1/pause", {"reason": "Until Monday"}).ok()
    before = row(desk, 1)
    child = hand_on(solver, "SB-1").ok(201)["child"]
    after = row(desk, 2)
    columns = {field.attname for field in Ticket._meta.concrete_fields}
    assert set(CARRIED) == columns
    same = {name for name, how in CARRIED.items() if how.startswith("same")}
    assert {name for name in same if getattr(before, name) != getattr(after, name)} == set()
    empty = {name for name, how in CARRIED.items() if how.startswith(("none", "0"))}
    fresh = Ticket()
    assert {n for n in empty if getattr(after, n) != getattr(fresh, n)} == set()
    assert {n for n in same if getattr(after, n) is None} == set()
    shown = detail(alice, child["ref"])
    assert shown["content"]["blocked_reason"] == "The licence is missing"
    assert shown["status"]["rule"] == "blocked"
    assert shown["reserved_for"]["name"] == "racer"
    assert (shown["paused"], offered(racer)) == (True, [])
    alice.post("/api/v1/tickets/SB-2/unblock").ok()
    assert detail(alice, "SB-2")["content"]["status_detail"] == "Paused by alice."
    alice.post("/api/v1/tickets/SB-2/resume").ok()
    assert (offered(racer), offered(desk.agent("other"))) == (["SB-2"], [])


def test_an_agent_that_retires_meanwhile_hands_nothing_on(
    desk: Desk, solver: Api, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was signed in when it retired: nothing is written, and nothing is left behind."""

    def retired(*args: Any, **rest: Any) -> Any:
        Agent.objects.of(desk.org.id).filter(name="solver").update(retired_at=clock.now())
        return taken(*args, **rest)

    taken = package_take
    monkeypatch.setattr(handoff, "package_take", retired)
    reply = hand_on(solver, held)
    assert (reply.status, reply.code) == (401, "token_revoked")
    assert Ticket.objects.of(desk.org.id).count() == 1
    assert row(desk, 1).state == "claimed"


def test_an_agent_that_a_child_is_kept_for_may_retire_meanwhile(
    desk: Desk, solver: Api, racer: Api, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def retired(**rest: Any) -> Any:
        found = taken(**rest)
        Agent.objects.of(desk.org.id).filter(name="racer").update(retired_at=clock.now())
        return found

    taken = reserved_get
    monkeypatch.setattr(handoff, "reserved_get", retired)
    reply = hand_on(solver, held, for_agent=agent_id(racer))
    assert (reply.status, [one["path"] for one in reply.details["fields"]]) == (422, ["for_agent"])
    nothing_moved(desk, solver)


def test_a_handoff_answers_what_the_agent_was_asked_for(
    desk: Desk, solver: Api, alice: Api, held: str
) -> None:
    asked = alice.post(f"/api/v1/agents/{agent_id(solver)}/requests", {"kind": "handoff"})
    asked.ok(201)
    assert solver.get("/api/v1/work").ok()["handoff_requested"] is not None
    hand_on(solver, held).ok(201)
    assert solver.get("/api/v1/work").ok()["handoff_requested"] is None
    assert "request_acknowledged" in types(desk, 1)
