"""Handing on, in a line."""

from typing import Any

from stuckbot.lib.models import Event
from tests.support import Api, Desk, Reply, make_package
from tickets.models import Ticket


def hand_on(api: Api, ref: str, **body: Any) -> Reply:
    sent = {"package": make_package(title="What is left of it"), **body}
    headers = {"idempotency_key": sent.pop("key")} if "key" in sent else {}
    return api.post(f"/api/v1/tickets/{ref}/handoff", sent, **headers)


def claim(api: Api, ref: str) -> Any:
    return api.post(f"/api/v1/tickets/{ref}/claim", {}).ok()["ticket"]


def agent_id(api: Api) -> str:
    return str(api.get("/api/v1/agents/me").ok()["agent"]["id"])


def row(desk: Desk, number: int) -> Ticket:
    return Ticket.objects.of(desk.org.id).get(number=number)


def detail(api: Api, ref: str) -> Any:
    return api.get(f"/api/v1/tickets/{ref}").ok()["ticket"]


def types(desk: Desk, number: int) -> list[str]:
    ticket = row(desk, number)
    events = Event.objects.of(desk.org.id).filter(ticket_id=ticket.id)
    return list(events.order_by("seq").values_list("type", flat=True))


def offered(api: Api, query: str = "") -> list[str]:
    return [one["ref"] for one in api.get(f"/api/v1/work{query}").ok()["claimable"]]
