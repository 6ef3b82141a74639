"""Handing a ticket on to a child."""

from typing import Any

import pytest

from stuckbot.lib.models import Event, Inbox
from tests.support import Api, Desk, file_ticket, make_package
from tickets.models import Ticket


def hand_on(api: Api, ref: str, **body: Any) -> Any:
    sent = {"package": make_package(title="What is left of it"), **body}
    return api.post(f"/api/v1/tickets/{ref}/handoff", sent)


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
