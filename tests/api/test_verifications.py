"""Which verification jobs a verifier sees: those it may take, and those it holds."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Agent, Project
from stuckbot.lib import clock, ids
from tests.api.refusals import paths, refused
from tests.matrix.scene import Scene
from tests.support import Api, Desk
from tickets.models import Ticket
from verification.models import Verification

LIST = "/api/v1/verifications"


@pytest.fixture
def scene(desk: Desk, stuck: Api, solver: Api) -> Scene:
    return Scene(desk, stuck, solver, "takeover")


@pytest.fixture
def verifier(desk: Desk) -> Api:
    return desk.agent("verifier", scopes=["verify"])


def seen(api: Api, query: str = "") -> list[Any]:
    return api.get(LIST + query).ok()["verifications"]  # type: ignore[no-any-return]


def job_of(scene: Scene) -> Verification:
    jobs = Verification.objects.of(scene.desk.org.id).filter(ticket=scene.row, decided_at=None)
    return jobs.get()


def agent_row(desk: Desk, name: str) -> Agent:
    return Agent.objects.of(desk.org.id).get(name=name)


@pytest.mark.parametrize("stage", ["blocker", "task"])
def test_it_shows_what_waits_for_a_verifier(stage: str, scene: Scene, verifier: Api) -> None:
    scene.reach(f"{stage}_review.agent")
    job = job_of(scene)
    [shown] = seen(verifier)
    assert shown | {"submitted_at": ""} == {
        "id": str(job.id),
        "ticket_id": str(scene.row.id),
        "ticket_ref": scene.ref,
        "stage": stage,
        "state": "waiting_agent",
        "submitted_at": "",
        "claim": None,
    }


@pytest.mark.parametrize(
    "state",
    ["claimed", "blocker_review.person", "blocker_review.checks", "blocker_resolved", "completed"],
)
def test_it_shows_nothing_else(state: str, scene: Scene, verifier: Api) -> None:
    scene.reach(state)
    assert seen(verifier) == []


def test_it_shows_no_job_that_was_cancelled(scene: Scene, verifier: Api, bob: Api) -> None:
    scene.reach("blocker_review.agent")
    bob.post(f"{scene.path}/close").ok()
    assert seen(verifier) == []


@pytest.mark.parametrize("name", ["verifies too", "stuck", "solver"])
def test_it_shows_none_to_who_filed_or_solved(name: str, desk: Desk) -> None:
    scopes = ["verify", "tickets:create", "tickets:claim", "evidence:submit"]
    scopes += ["tickets:update", "tickets:read_project"]
    cast = {one: desk.agent(one, scopes=scopes) for one in ("verifies too", "stuck", "solver")}
    scene = Scene(desk, cast["stuck"], cast["solver"], "takeover")
    scene.reach("blocker_review.agent")
    assert len(seen(cast[name])) == (1 if name == "verifies too" else 0)


def test_it_shows_none_to_who_sent_evidence_before(desk: Desk, scene: Scene) -> None:
    scopes = ["verify", "tickets:claim", "tickets:read_project", "evidence:submit"]
    tried = desk.agent("tried", scopes=scopes)
    only_held = desk.agent("only held", scopes=scopes)
    for api in (tried, only_held):
        api.post(f"{scene.path}/claim").ok()
        if api is tried:
            sent = {"command": "npm ci", "exit_code": 1}
            body = {"criterion": "b1", "type": "command_run", "payload": sent}
            api.post(f"{scene.path}/evidence", body).ok(201)
        api.post(f"{scene.path}/release").ok()
    scene.reach("blocker_review.agent")
    assert seen(tried) == []
    assert len(seen(only_held)) == 1


def test_it_shows_none_to_who_filed_earlier_in_the_chain(desk: Desk, scene: Scene) -> None:
    before = desk.agent("before", scopes=["verify", "tickets:create"])
    first = Scene(desk, before, scene.solver, "takeover").row
    scene.reach("blocker_review.agent")
    assert len(seen(before)) == 1
    Ticket.objects.of(desk.org.id).filter(id=scene.row.id).update(
        root_id=first.root_id, parent=first, depth=1
    )
    assert seen(before) == []
    # A later ticket of the chain does no harm.
    Ticket.objects.of(desk.org.id).filter(id=first.id).update(depth=2)
    assert len(seen(before)) == 1


def test_it_shows_who_holds_a_job(desk: Desk, scene: Scene, verifier: Api) -> None:
    scene.reach("blocker_review.agent")
    holder = desk.agent("holder", scopes=["verify"])
    row, now = agent_row(desk, "holder"), clock.now()
    jobs = Verification.objects.of(desk.org.id).filter(ticket=scene.row)
    jobs.update(claimed_by_id=row.id, claim_until=now + timedelta(minutes=15))
    assert seen(verifier) == []
    [held] = seen(holder)
    assert held["claim"]["holder"]["name"] == "holder"
    jobs.update(claim_until=now - timedelta(seconds=1))
    assert [one["claim"] for one in (*seen(verifier), *seen(holder))] == [None, None]


def test_it_shows_projects_that_the_agent_reads(desk: Desk, other: Desk, scene: Scene) -> None:
    scene.reach("blocker_review.agent")
    elsewhere = Project.unscoped.create(id=ids.uuid7(), org=desk.org, name="Elsewhere")
    projects = (str(elsewhere.id), str(desk.org.default_project_id))
    for project, count in zip(projects, (0, 1), strict=True):
        reader = desk.agent("reader", scopes=["verify"], project_ids=[project])
        assert len(seen(reader)) == count
        path = f"{LIST}/{job_of(scene).id}/claim"
        if count:
            assert reader.post(path).ok()["verification"]["claim"]["holder"]["name"] == "reader"
        else:
            refused(reader.post(path), 404, "not_found")
    assert seen(other.agent("foreign", scopes=["verify"])) == []


def test_it_shows_the_oldest_first(desk: Desk, stuck: Api, solver: Api, verifier: Api) -> None:
    scenes = [Scene(desk, stuck, solver, "takeover") for _ in range(3)]
    for scene in reversed(scenes):
        scene.reach("blocker_review.agent")
    refs = [scene.ref for scene in reversed(scenes)]
    assert [one["ticket_ref"] for one in seen(verifier)] == refs
    assert [one["ticket_ref"] for one in seen(verifier, "?limit=2")] == refs[:2]


def test_it_shows_people_none_since_they_take_none(scene: Scene, alice: Api, carol: Api) -> None:
    scene.reach("blocker_review.agent")
    assert (seen(alice), seen(carol)) == ([], [])


def test_a_decision_is_checked_whole(scene: Scene, verifier: Api) -> None:
    scene.reach("blocker_review.agent")
    item = {"type": "command_run", "attestation": {"key": "k", "statement": "s"}}
    body = {"decision": "perhaps", "evidence": [item, 1], "more": 1}
    reply = verifier.post(f"{LIST}/{job_of(scene).id}/decision", body)
    assert paths(refused(reply, 422, "invalid_request")) == [
        "decision",
        "evidence[0].attestation.signature",
        "evidence[0].criterion",
        "evidence[1]",
        "more",
        "reason",
    ]
