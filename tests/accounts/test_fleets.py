"""A connector's fleet: locked out it holds nothing, and it reads what the connector reads today."""

import pytest

from accounts.models import Agent, Connector
from accounts.services.orgs import (
    connector_disable,
    connector_enable,
    project_make,
    system_caller,
)
from stuckbot.lib import clock
from stuckbot.site import tasks
from tests.api.refusals import refused
from tests.support import Api, Desk, file_ticket, make_package
from tickets.models import Claim, Ticket


def lock_out(desk: Desk) -> None:
    connector = Connector.objects.of(desk.org.id).get()
    connector_disable(actor=system_caller(desk.org.id), connector=connector, now=clock.now())


def let_in(desk: Desk) -> None:
    connector = Connector.objects.of(desk.org.id).get()
    connector_enable(actor=system_caller(desk.org.id), connector=connector, now=clock.now())


def test_locked_out_agents_hold_nothing(desk: Desk, stuck: Api, alice: Api) -> None:
    holders = [desk.agent(f"solver-{number}") for number in range(3)]
    for number, holder in enumerate(holders, start=1):
        file_ticket(stuck)
        holder.post(f"/api/v1/tickets/SB-{number}/claim", {}).ok()
    file_ticket(stuck)
    alice.post("/api/v1/tickets/SB-4/claim", {}).ok()
    tasks.sweep()  # what was filed is in the index
    lock_out(desk)
    assert tasks.due_now()
    assert tasks.sweep() == 1
    free = Ticket.objects.of(desk.org.id).filter(claim=None)
    assert set(free.values_list("number", flat=True)) == {1, 2, 3}
    ended = Claim.objects.of(desk.org.id).exclude(ended_at=None)
    assert set(ended.values_list("end_reason", flat=True)) == {"locked_out"}
    tasks.sweep()  # what that told is read
    assert not tasks.due_now()
    alice.post("/api/v1/tickets/SB-1/claim", {}).ok()


def test_let_in_again_at_once_they_keep_what_they_hold(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    lock_out(desk)
    let_in(desk)
    tasks.sweep()
    assert Ticket.objects.of(desk.org.id).get().claim_id is not None
    lock_out(desk)
    tasks.sweep()
    assert Ticket.objects.of(desk.org.id).get().claim_id is None


@pytest.mark.parametrize("named", [False, True], ids=["all projects", "two of them"])
def test_taking_projects_away_narrows_agents_of_before(desk: Desk, named: bool) -> None:
    first = desk.org.default_project
    assert first is not None
    second, third = (
        project_make(org=desk.org, name=name, now=clock.now()) for name in ("Second", "Third")
    )
    writer = desk.agent("writer")
    for project in (first, second, third):
        package = {"project_id": str(project.id)}
        writer.post("/api/v1/tickets", {**package, "package": make_package()}).ok(201)
    asked = {"project_ids": [str(first.id), str(second.id)]} if named else {}
    agent = desk.agent("reader", **asked)
    connector = Connector.objects.of(desk.org.id).get()

    connector.projects.set([second, third])
    assert _refs(agent) == ({"SB-2"} if named else {"SB-2", "SB-3"})
    refused(agent.post("/api/v1/tickets/SB-1/claim"), 404, "not_found")
    connector.projects.set([third])
    assert _refs(agent) == (set() if named else {"SB-3"})
    connector.projects.clear()
    assert _refs(agent) == ({"SB-1", "SB-2"} if named else {"SB-1", "SB-2", "SB-3"})
    assert Agent.objects.of(desk.org.id).filter(name="reader").get().project_ids == (
        [str(one) for one in sorted((first.id, second.id))] if named else []
    )


def test_an_unchanged_poll_sees_that_projects_were_taken(desk: Desk, solver: Api) -> None:
    second = project_make(org=desk.org, name="Second", now=clock.now())
    file_ticket(desk.agent("stuck"))
    reply = solver.get("/api/v1/work")
    assert len(reply.ok()["claimable"]) == 1
    etag = reply.header("ETag") or ""
    assert solver.get("/api/v1/work", if_none_match=etag).status == 304
    Connector.objects.of(desk.org.id).get().projects.set([second])
    assert solver.get("/api/v1/work", if_none_match=etag).ok()["claimable"] == []


def _refs(agent: Api) -> set[str]:
    tickets = agent.get("/api/v1/tickets").ok()["tickets"]
    work = agent.get("/api/v1/work").ok()["claimable"]
    refs = {one["ref"] for one in tickets}
    assert {one["ref"] for one in work} == refs
    return refs
