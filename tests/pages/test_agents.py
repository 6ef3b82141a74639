"""The pages of agents: which there are, what each is on, and who may do what about them."""

import pytest
from django.test import Client

from tests.pages.test_people import page, signed_in
from tests.support import Api, Desk, file_ticket


def agent_id(api: Api) -> str:
    return str(api.get("/api/v1/agents/me").ok()["agent"]["id"])


@pytest.fixture
def alices(desk: Desk) -> Client:
    return signed_in(desk, "alice")


def test_it_says_what_each_agent_is_on(
    desk: Desk, stuck: Api, solver: Api, alices: Client
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    beat = {"status": "Reading the log", "usage": {"tokens": 1_234_567, "cost_usd": 2.5}}
    solver.post("/api/v1/agents/me/heartbeat", beat).ok()
    text = page(alices, "/agents")
    assert "<h1>Agents</h1>" in text
    assert "SB-1" in text and "59 min left" in text
    assert "Reading the log" in text
    assert "1,234,567" in text and "$2.50" in text
    text = page(alices, f"/agents/{agent_id(solver)}")
    assert "solver" in text and "took it" in text
    for path in ("/agents/connectors", f"/agents/connectors/{desk.connector.id}", "/agents/key"):
        page(alices, path)
