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
