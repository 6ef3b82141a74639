"""Small things on the wire that a real program breaks over."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import InterfaceError, OperationalError
from django.test import Client, RequestFactory

from stuckbot.lib.errors import Stale, TwinFinished
from stuckbot.site.api.call import Call
from stuckbot.site.api.examples import EXAMPLES
from stuckbot.site.api.operations import OPERATIONS
from stuckbot.site.api.views import refuse
from tests.support import Api, Desk, file_ticket

START = datetime.fromisoformat("2026-03-01T12:00:00+00:00")
TICKET = "/api/v1/tickets/SB-1"


def _claim(reply: Any) -> tuple[datetime, timedelta]:
    """When a claim says it began, and how long it runs from there."""
    claim = reply.ok()["ticket"]["claim"]
    began = datetime.fromisoformat(claim["started_at"])
    return began, datetime.fromisoformat(claim["expires_at"]) - began


@pytest.mark.parametrize("minutes", [5, 45])
def test_a_claim_begins_now_each_time_and_a_renewal_gives_no_less(
    minutes: int, stuck: Api, solver: Api
) -> None:
    """The client fixes from it how often it renews."""
    with time_machine.travel(START, tick=False) as traveller:
        file_ticket(stuck)
        first = _claim(solver.post(f"{TICKET}/claim", {"lease_minutes": minutes}))
        assert first == (START, timedelta(minutes=minutes))
        traveller.shift(timedelta(minutes=2))
        renewed = solver.post(f"{TICKET}/claim/renew").ok()["ticket"]["claim"]
        ends = datetime.fromisoformat(renewed["expires_at"])
        assert ends >= START + timedelta(minutes=2 + minutes)
        traveller.shift(timedelta(minutes=2))
        again, length = _claim(solver.post(f"{TICKET}/claim", {"lease_minutes": minutes}))
        assert (again, length) == (START + timedelta(minutes=4), timedelta(minutes=minutes))


def test_agents_may_share_a_name(desk: Desk) -> None:
    """A fleet's machines all call themselves the same."""
    twins = [desk.agent("ci").get("/api/v1/agents/me").ok()["agent"] for _ in range(2)]
    assert [one["name"] for one in twins] == ["ci", "ci"]
    assert twins[0]["id"] != twins[1]["id"]


def test_an_unset_field_of_a_package_is_absent(stuck: Api) -> None:
    package = file_ticket(stuck, repro=None, completed=[])["content"]["package"]
    assert "repro" not in package
    assert package["completed"] == []
    assert None not in package.values()
    assert None not in package["blocker_criteria"][0].values()


def test_every_example_of_the_document_would_be_taken() -> None:
    bodies = {one.id: one.body for one in OPERATIONS.values() if one.body is not None}
    assert set(EXAMPLES) == set(bodies)
    for name, body in bodies.items():
        assert (name, body.faults(EXAMPLES[name])) == (name, [])


def test_the_example_of_a_package_needs_nothing(stuck: Api) -> None:
    told = stuck.post("/api/v1/packages/check", EXAMPLES["check_package"]).ok()
    assert (told["accepted"], told["fields"], told["masked"]) == (True, [], [])


def test_nothing_of_the_api_is_a_redirect_or_without_a_body(db: None) -> None:
    for path in ("/api/v1/", "/api/v1/tickets/", "//api/v1", "/api", "/schemas", "/.well-known"):
        answer = Client().get(path)
        assert (answer.status_code in (401, 404), bool(answer.content)) == (True, True), path


@pytest.mark.parametrize(
    "error", [OperationalError("database is locked"), InterfaceError(), Stale(), TwinFinished()]
)
def test_a_busy_desk_says_when_to_come_back(error: Exception) -> None:
    """The client tries a 503 again, never a 500, and gives up over a minute."""
    answer = refuse(Call(RequestFactory().get("/api/v1/work"), START, {}), error)
    assert answer.status_code == 503
    assert 1 <= int(answer["Retry-After"]) <= 5
