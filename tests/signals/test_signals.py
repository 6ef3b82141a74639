"""What agents report of themselves."""

from typing import Any

import pytest

from accounts.models import Signal
from tests.support import Api, Desk, file_ticket, make_package
from tickets.models import Ticket

SECRET = "ghp_16C7e42F292c6912E7a916C7e42F292c6912"


def _signal(agent: Api, type: str = "self_report", **more: Any) -> Any:
    return agent.post("/api/v1/signals", {"type": type, **more})


def _listed(agent: Api, query: str = "") -> list[Any]:
    signals: list[Any] = agent.get(f"/api/v1/agents/me/signals{query}").ok()["signals"]
    return signals


def test_a_signal_alone_is_kept_and_listed(solver: Api) -> None:
    said = _signal(solver, details={"what": "The disk is full"}).ok(201)
    assert set(said) == {"signal"}
    signal = said["signal"]
    assert set(signal) == {"id", "type", "at", "ticket_id", "content"}
    assert (signal["type"], signal["ticket_id"]) == ("self_report", None)
    assert signal["content"] == {"details": {"what": "The disk is full"}}
    assert _listed(solver) == [signal]


def test_they_are_listed_newest_first_and_to_each_agent_its_own(stuck: Api, solver: Api) -> None:
    kept = [_signal(solver, details={"n": n}).ok(201)["signal"]["id"] for n in range(3)]
    _signal(stuck).ok(201)
    assert [one["id"] for one in _listed(solver)] == kept[::-1]
    assert [one["id"] for one in _listed(solver, "?limit=2")] == kept[:0:-1]
    for bad in ("0", "101", "x"):
        assert solver.get(f"/api/v1/agents/me/signals?limit={bad}").code == "invalid_request"


def test_it_is_about_the_ticket_in_hand(stuck: Api, solver: Api) -> None:
    ticket = file_ticket(stuck)
    solver.post(f"/api/v1/tickets/{ticket['ref']}/claim").ok()
    said = _signal(solver, details={"why": f"It prints {SECRET}"}).ok(201)["signal"]
    assert said["ticket_id"] == ticket["id"]
    (heard,) = [
        one for one in stuck.get("/api/v1/work").ok()["updates"] if one["type"] == "signal_raised"
    ]
    assert heard["data"]["type"] == "self_report"
    assert SECRET not in str(heard)
    findings = stuck.get(f"/api/v1/tickets/{ticket['ref']}").ok()["ticket"]["findings"]
    assert [one["where"] for one in findings] == ["signal.details.why"]


@pytest.mark.parametrize("package", [{}, {"title": "Only this"}, make_package()])
def test_a_package_files_a_ticket_in_the_same_write(
    desk: Desk, solver: Api, package: dict[str, Any]
) -> None:
    said = _signal(solver, "budget", package=package, details={"why": "No money"}).ok(201)
    ticket = said["ticket"]
    assert said["signal"]["ticket_id"] == ticket["id"]
    assert ticket["incomplete"] is bool(ticket["missing_fields"])
    assert ticket["incomplete"] is (package != make_package())
    assert ticket["mode"] == "blocker_only"
    types = [
        one["type"] for one in solver.get(f"/api/v1/tickets/{ticket['ref']}/events").ok()["events"]
    ]
    assert types == ["signal_raised", "ticket_created"]


def test_a_package_that_is_wrong_keeps_nothing(desk: Desk, solver: Api) -> None:
    refused = _signal(solver, package={"title": 7, "urgency": 99}, usage={"tokens": 5})
    assert refused.status == 422
    paths = {one["path"] for one in refused.details["fields"]}
    assert {"package.title", "package.urgency"} <= paths
    assert not Signal.objects.of(desk.org.id).exists()
    assert not Ticket.objects.of(desk.org.id).exists()


def test_a_repeated_signal_files_one_ticket(desk: Desk, solver: Api) -> None:
    body = {"type": "self_report", "package": {}}
    one = solver.post("/api/v1/signals", body, idempotency_key="k").ok(201)
    two = solver.post("/api/v1/signals", body, idempotency_key="k")
    assert (two.ok(201), two.header("Idempotent-Replayed")) == (one, "true")
    assert Signal.objects.of(desk.org.id).count() == 1
    assert Ticket.objects.of(desk.org.id).count() == 1


def test_it_takes_the_scope_and_a_project_it_reads(desk: Desk, other: Desk, solver: Api) -> None:
    narrow = desk.agent("narrow", scopes=["tickets:create"])
    refused = _signal(narrow, package={})
    assert (refused.status, refused.details["required_scope"]) == (403, "signals:report")
    stranger = str(other.org.default_project_id)
    assert _signal(solver, project_id=stranger).status == 404
    assert _signal(solver, project_id=stranger, package={}).status == 404
    own = str(desk.org.default_project_id)
    filed = _signal(solver, project_id=own, package={}).ok(201)["ticket"]
    assert filed["project_id"] == own
    # Signals alone are enough: no tickets:create is asked for.
    reporter = desk.agent("reporter", scopes=["signals:report"])
    _signal(reporter, package={}).ok(201)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"type": "sad"},
        {"type": "self_report", "details": "text"},
        {"type": "self_report", "details": {"x": "y" * 17_000}},
        {"type": "self_report", "usage": {"tokens": -1}},
        {"type": "self_report", "usage": {"tokens": 1e300}},
        {"type": "self_report", "package": []},
        {"type": "self_report", "mood": "sad"},
    ],
    ids=lambda body: str(body)[:40],
)
def test_bad_ones_are_refused(desk: Desk, solver: Api, body: dict[str, Any]) -> None:
    assert solver.post("/api/v1/signals", body).code == "invalid_request"
    assert not Signal.objects.of(desk.org.id).exists()


def test_a_word_of_its_own_asks_nothing_of_the_agent(solver: Api) -> None:
    for type in ("self_report", "watchdog", "budget"):
        _signal(solver, type).ok(201)
    beat = solver.post("/api/v1/agents/me/heartbeat").ok()
    assert (beat["handoff_requested"], beat["stop_requested"]) == (None, None)
