"""Completing while somebody else completes, claims, submits or closes: one order, nothing lost."""

from collections.abc import Callable
from typing import Any

import pytest

from stuckbot.lib.models import Event
from stuckbot.site.usecases import submit
from tests.api.refusals import refused
from tests.support import Api, Desk, make_package, prove
from tests.tickets.lenient import file_incomplete
from tests.tickets.test_interleaved import once
from tickets.models import Package, Ticket
from tickets.selectors import facts_get
from tickets.services import claims, closing, packages

SHORT = make_package(objective=None)
PATH = "/api/v1/tickets/SB-1/package"


@pytest.fixture(autouse=True)
def incomplete(stuck: Api) -> None:
    file_incomplete(stuck, SHORT)


def meanwhile(monkeypatch: pytest.MonkeyPatch, where: Any, act: Callable[[], Any]) -> None:
    """`act` commits between what a service of `where` reads and what it writes."""
    monkeypatch.setattr(where, "facts_get", once(act, facts_get))


def complete(api: Api, **changes: Any) -> Any:
    return api.post(PATH, {"package": make_package(**changes)})


def told(desk: Desk, kind: str) -> int:
    return Event.objects.of(desk.org.id).filter(type=kind).count()


def test_two_complete_it_at_once(
    bob: Api, stuck: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One completes it; the other, the creator, then changes what is complete."""
    meanwhile(monkeypatch, packages, lambda: complete(bob, objective="Bob's").ok())
    assert complete(stuck, objective="Mine").ok()["ticket"]["package_version"] == 3
    assert told(desk, "package_completed") == 1
    versions = Package.objects.of(desk.org.id).order_by("n").values_list("n", "author__name")
    assert [name for _, name in versions] == ["stuck", "bob", "stuck"]


def test_a_member_who_comes_second_is_told(
    bob: Api, stuck: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, packages, lambda: complete(stuck).ok())
    refused(complete(bob, objective="Bob's"), 409, "not_claim_holder")
    ticket = Ticket.objects.of(desk.org.id).get()
    assert (ticket.package_n, ticket.incomplete) == (2, False)


def test_the_second_moves_no_bar_that_the_first_has_set(
    bob: Api, stuck: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, packages, lambda: complete(bob).ok())
    check = {**make_package()["blocker_criteria"][0], "command": "true"}
    refused(complete(stuck, blocker_criteria=[check]), 409, "criteria_locked")


def test_it_is_claimed_meanwhile(bob: Api, solver: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile(monkeypatch, packages, lambda: solver.post("/api/v1/tickets/SB-1/claim", {}).ok())
    ticket = complete(bob).ok()["ticket"]
    assert (ticket["state"], ticket["incomplete"]) == ("claimed", False)
    solver.post("/api/v1/tickets/SB-1/claim/renew").ok()


def test_it_is_completed_while_somebody_claims(
    bob: Api, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, claims, lambda: complete(bob).ok())
    ticket = solver.post("/api/v1/tickets/SB-1/claim", {}).ok()["ticket"]
    assert (ticket["state"], ticket["incomplete"], ticket["status_color"]) == (
        "claimed",
        False,
        "YELLOW",
    )
    row = Ticket.unscoped.get()
    assert (row.own_red, row.offer_at) == (None, row.lease_until)


def test_it_is_closed_meanwhile(
    bob: Api, stuck: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, packages, lambda: bob.post("/api/v1/tickets/SB-1/close", {}).ok())
    refused(complete(stuck), 409, "invalid_transition")
    ticket = Ticket.objects.of(desk.org.id).get()
    assert (ticket.state, ticket.package_n, ticket.incomplete) == ("closed", 1, True)


def test_it_is_completed_while_somebody_closes(
    bob: Api, stuck: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, closing, lambda: complete(stuck).ok())
    bob.post("/api/v1/tickets/SB-1/withdraw", {})
    ticket = bob.post("/api/v1/tickets/SB-1/close", {}).ok()["ticket"]
    assert (ticket["state"], ticket["incomplete"]) == ("closed", False)


def test_it_is_completed_while_its_holder_submits(
    bob: Api, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever submits is told what was missing when they asked, and may ask again."""
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    prove(solver, "SB-1").ok(201)
    meanwhile(monkeypatch, submit, lambda: complete(bob).ok())
    path, body = "/api/v1/tickets/SB-1/submit", {"stage": "blocker"}
    refused(solver.post(path, body), 422, "invalid_request")
    assert solver.post(path, body).ok()["ticket"]["state"] == "blocker_resolved"


def test_a_bar_that_moves_while_its_holder_submits_is_not_met_by_old_proof(
    bob: Api, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    prove(solver, "SB-1").ok(201)
    check = {**make_package()["blocker_criteria"][0], "command": "npm ci --audit"}
    meanwhile(monkeypatch, submit, lambda: complete(bob, blocker_criteria=[check]).ok())
    path, body = "/api/v1/tickets/SB-1/submit", {"stage": "blocker"}
    refused(solver.post(path, body), 422, "invalid_request")
    assert refused(solver.post(path, body), 422, "invalid_request")["missing"] == ["b1"]
