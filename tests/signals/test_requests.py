"""What an agent is asked for: by whom, how it hears of it, and what answers it."""

from typing import Any

import pytest

from accounts.models import AgentRequest
from accounts.services.orgs import system_caller
from policy.services.policies import policy_set
from stuckbot.lib import clock
from stuckbot.lib.models import Audit
from tests.support import Api, Desk, file_ticket, make_package, resolve

ASKED = ("handoff_requested", "stop_requested")


def _id(agent: Api) -> str:
    return str(agent.get("/api/v1/agents/me").ok()["agent"]["id"])


def _ask(person: Api, agent: Api, kind: str = "handoff", **more: Any) -> Any:
    path = f"/api/v1/agents/{_id(agent)}/requests"
    return person.post(path, {"kind": kind, **more})


def _flags(answer: Any) -> tuple[Any, Any]:
    return answer["handoff_requested"], answer["stop_requested"]


def _hears(agent: Api) -> tuple[Any, Any]:
    return _flags(agent.post("/api/v1/agents/me/heartbeat").ok())


def _claim(stuck: Api, solver: Api) -> str:
    ref: str = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim").ok()
    return ref


def _events(api: Api, ref: str, *types: str) -> list[Any]:
    events = api.get(f"/api/v1/tickets/{ref}/events").ok()["events"]
    return [one for one in events if one["type"] in types]


def test_it_is_the_very_same_everywhere(bob: Api, solver: Api) -> None:
    _ask(bob, solver, "handoff", message="Lunch").ok(201)
    _ask(bob, solver, "stop", message="Enough").ok(201)
    said = [
        solver.post("/api/v1/agents/me/heartbeat"),
        solver.get("/api/v1/agents/me/signals"),
        solver.get("/api/v1/work"),
    ]
    for name in ASKED:
        raw = [reply.response.content.split(f'"{name}":'.encode())[1] for reply in said]
        bodies = {one[: one.index(b"}}") + 2] for one in raw}
        assert len(bodies) == 1, bodies
    stop = said[0].ok()["stop_requested"]
    assert list(stop) == ["id", "reason", "requested_at", "ticket_id", "content"]
    assert (stop["reason"], stop["ticket_id"]) == ("person", None)
    assert stop["content"] == {"message": "Enough"}


def test_a_poll_that_was_unchanged_sees_it_at_once(bob: Api, solver: Api) -> None:
    etag = solver.get("/api/v1/work").header("ETag") or ""
    assert solver.get("/api/v1/work", if_none_match=etag).status == 304
    _ask(bob, solver).ok(201)
    changed = solver.get("/api/v1/work", if_none_match=etag)
    assert changed.ok()["handoff_requested"]["reason"] == "person"
    fresh = changed.header("ETag") or ""
    assert solver.get("/api/v1/work", if_none_match=fresh).status == 304
    bob.call("DELETE", f"/api/v1/agents/{_id(solver)}/requests").ok()
    assert solver.get("/api/v1/work", if_none_match=fresh).ok()["handoff_requested"] is None


def test_a_handoff_names_the_ticket_in_hand(bob: Api, stuck: Api, solver: Api) -> None:
    ref = _claim(stuck, solver)
    _ask(bob, solver).ok(201)
    handoff, _ = _hears(solver)
    ticket = stuck.get(f"/api/v1/tickets/{ref}").ok()["ticket"]
    assert handoff["ticket_id"] == ticket["id"]
    (event,) = _events(stuck, ref, "handoff_requested")
    assert event["actor"]["name"] == "bob"
    _claim(stuck, solver)
    bob.call("DELETE", f"/api/v1/agents/{_id(solver)}/requests?kind=handoff").ok()
    _ask(bob, solver).ok(201)
    assert _hears(solver)[0]["ticket_id"] is None


ANSWERS: list[tuple[str, Any]] = [
    ("release", {}),
    ("escalate", {"reason": "Help"}),
    ("handoff", {"package": make_package()}),
]


@pytest.mark.parametrize(("act", "body"), ANSWERS, ids=lambda one: str(one)[:8])
def test_giving_the_ticket_back_answers_both(
    bob: Api, stuck: Api, solver: Api, act: str, body: Any
) -> None:
    ref = _claim(stuck, solver)
    _ask(bob, solver, "handoff").ok(201)
    _ask(bob, solver, "stop").ok(201)
    solver.post(f"/api/v1/tickets/{ref}/{act}", body).ok(201 if act == "handoff" else 200)
    assert _hears(solver) == (None, None)
    told = _events(stuck, ref, "request_acknowledged")
    assert [one["data"]["kind"] for one in told] == ["handoff", "stop"]
    assert {one["data"]["by"] for one in told} == {act}
    heard = bob.get("/api/v1/work").ok()["updates"]
    assert [one["type"] for one in heard].count("request_acknowledged") == 2


def test_retiring_answers_without_a_ticket(bob: Api, desk: Desk, solver: Api) -> None:
    _ask(bob, solver, "stop").ok(201)
    solver.post("/api/v1/agents/me/retire").ok()
    (row,) = AgentRequest.objects.of(desk.org.id)
    assert (row.ended_by, row.ended_ticket_id) == ("retire", None)


def test_another_ticket_does_not_answer_for_the_one_named(
    bob: Api, stuck: Api, solver: Api
) -> None:
    named = _claim(stuck, solver)
    _ask(bob, solver).ok(201)
    other = _claim(stuck, solver)
    solver.post(f"/api/v1/tickets/{other}/release").ok()
    assert _hears(solver)[0] is not None
    solver.post(f"/api/v1/tickets/{named}/release").ok()
    assert _hears(solver)[0] is None


def test_a_ticket_that_left_another_way_is_asked_for_no_more(
    bob: Api, stuck: Api, solver: Api, desk: Desk
) -> None:
    ref = _claim(stuck, solver)
    _ask(bob, solver).ok(201)
    bob.post(f"/api/v1/tickets/{ref}/release", {"force": True, "note": "Mine"}).ok()
    assert _hears(solver)[0] is None
    (row,) = AgentRequest.objects.of(desk.org.id)
    assert row.ended_by == "moved_on"


def test_who_was_told_to_stop_takes_nothing_new(bob: Api, stuck: Api, solver: Api) -> None:
    held, free = _claim(stuck, solver), file_ticket(stuck)["ref"]
    _ask(bob, solver, "stop").ok(201)
    assert solver.get("/api/v1/work").ok()["claimable"] == []
    refused = solver.post(f"/api/v1/tickets/{free}/claim")
    assert (refused.status, refused.code) == (403, "not_eligible")
    # What it holds it may still finish.
    solver.post(f"/api/v1/tickets/{held}/claim").ok()
    solver.post(f"/api/v1/tickets/{held}/updates", {"body": "Nearly"}).ok(201)
    solver.post(f"/api/v1/tickets/{held}/release").ok()
    assert _hears(solver) == (None, None)
    assert solver.post(f"/api/v1/tickets/{free}/claim").status == 403
    answer = bob.call("DELETE", f"/api/v1/agents/{_id(solver)}/requests").ok()
    assert answer == {"withdrawn": ["stop"]}
    assert solver.get("/api/v1/work").ok()["claimable"] != []
    solver.post(f"/api/v1/tickets/{free}/claim").ok()


def test_asking_twice_is_refused_and_withdrawing_twice_is_not(bob: Api, solver: Api) -> None:
    _ask(bob, solver).ok(201)
    assert _ask(bob, solver).code == "invalid_transition"
    path = f"/api/v1/agents/{_id(solver)}/requests"
    assert bob.call("DELETE", path).ok() == {"withdrawn": ["handoff"]}
    assert bob.call("DELETE", path).ok() == {"withdrawn": []}
    assert bob.call("DELETE", f"{path}?kind=dance").code == "invalid_request"
    first = _ask(bob, solver, "handoff").ok(201)
    assert first["handoff_requested"] is not None


def test_a_repeated_request_is_made_once(bob: Api, desk: Desk, solver: Api) -> None:
    path = f"/api/v1/agents/{_id(solver)}/requests"
    one = bob.post(path, {"kind": "stop"}, idempotency_key="k").ok(201)
    two = bob.post(path, {"kind": "stop"}, idempotency_key="k")
    assert two.ok(201) == one
    assert two.header("Idempotent-Replayed") == "true"
    assert AgentRequest.objects.of(desk.org.id).count() == 1
    actions = Audit.objects.of(desk.org.id).values_list("action", flat=True)
    assert list(actions).count("stop_requested") == 1


def test_members_alone_ask_and_only_of_their_own(
    desk: Desk, other: Desk, solver: Api, stuck: Api
) -> None:
    assert _ask(desk.person("carol"), solver).status == 403
    assert _ask(stuck, solver).status == 403
    assert _ask(other.person("mallory"), solver).status == 404
    solver_id = _id(solver)
    solver.post("/api/v1/agents/me/retire").ok()
    gone = desk.person("bob").post(f"/api/v1/agents/{solver_id}/requests", {"kind": "stop"})
    assert gone.code == "invalid_transition"


def test_what_a_person_writes_is_masked_and_bounded(bob: Api, solver: Api) -> None:
    secret = "ghp_16C7e42F292c6912E7a916C7e42F292c6912"
    _ask(bob, solver, "stop", message=f"Look at {secret}").ok(201)
    assert secret not in str(_hears(solver))
    assert _ask(bob, solver, "handoff", message="x" * 5001).code == "invalid_request"


def test_a_verifier_that_was_told_to_stop_takes_no_job(desk: Desk, stuck: Api, solver: Api) -> None:
    bob, verifier = desk.person("bob"), desk.agent("verifier", scopes=["verify"])
    policy_set(
        actor=system_caller(desk.org.id),
        changes={"blocker": "agent"},
        now=clock.now(),
    )
    resolve(solver, file_ticket(stuck)["ref"])
    (job,) = verifier.get("/api/v1/verifications").ok()["verifications"]
    _ask(bob, verifier, "stop").ok(201)
    refused = verifier.post(f"/api/v1/verifications/{job['id']}/claim")
    assert (refused.status, refused.code) == (403, "not_eligible")
    bob.call("DELETE", f"/api/v1/agents/{_id(verifier)}/requests").ok()
    verifier.post(f"/api/v1/verifications/{job['id']}/claim").ok()
