"""Filing what there is: a ticket whose package lacks fields is incomplete, not refused."""

import contextlib
from typing import Any

import pytest

from stuckbot.lib import clock
from stuckbot.lib.errors import Invalid
from stuckbot.lib.models import Event
from stuckbot.lib.unit import unit_of_work
from tests.api.refusals import nothing_changes
from tests.support import Api, Desk, make_package
from tests.tickets.lenient import caller_of, file_incomplete
from tests.tickets.package_cases import LONG_FIELDS
from tests.tickets.test_findings import SECRET
from tickets.models import Ticket
from tickets.services.create import ticket_create, ticket_create_in, ticket_prepare

REST = [*LONG_FIELDS, "blocker_criteria"]


def test_nothing_at_all_files_a_ticket(stuck: Api) -> None:
    ticket = file_incomplete(stuck, {})
    assert (ticket["state"], ticket["mode"], ticket["urgency"]) == ("open", "blocker_only", 5)
    assert (ticket["incomplete"], ticket["missing_fields"]) == (True, ["title", *REST])
    assert (ticket["content"]["title"], ticket["content"]["package"]) == ("Untitled", {})
    assert (ticket["criteria"], ticket["evidence"], ticket["package_version"]) == ([], [], 1)


def test_it_is_red_and_says_what_is_missing(stuck: Api, bob: Api) -> None:
    file_incomplete(stuck, make_package(objective=None, next_steps=None))
    ticket = bob.get("/api/v1/tickets?color=RED").ok()["tickets"][0]
    assert (ticket["status_color"], ticket["status"]["rule"]) == ("RED", "incomplete")
    assert ticket["content"]["status_detail"] == "Fields missing: objective, next_steps."
    assert (ticket["needs_person"], ticket["incomplete"]) == (True, True)


def test_nobody_is_offered_it_and_anybody_may_claim_it(stuck: Api, solver: Api) -> None:
    file_incomplete(stuck, {"title": "Ran out of time"})
    assert solver.get("/api/v1/work").ok()["claimable"] == []
    claimed = solver.post("/api/v1/tickets/SB-1/claim", {}).ok()["ticket"]
    assert (claimed["state"], claimed["status_color"]) == ("claimed", "RED")
    solver.post("/api/v1/tickets/SB-1/claim/renew").ok()
    solver.post("/api/v1/tickets/SB-1/release", {}).ok()
    assert solver.get("/api/v1/work").ok()["claimable"] == []


@pytest.mark.parametrize(
    ("package", "title"),
    [
        ({"title": "A title of its own"}, "A title of its own"),
        ({"stuck_reason": "\n  npm ci   fails\nat once"}, "Untitled: npm ci fails"),
        ({"objective": "Ship it", "stuck_reason": "It fails"}, "Untitled: It fails"),
        (
            {"human_summary": make_package()["human_summary"], "objective": "Ship"},
            "Untitled: The build is missing Python.",
        ),
        ({"context": {"errors": ["", "\u200b", "ENOSPC"]}}, "Untitled: ENOSPC"),
        ({"context": {"errors": "ENOSPC\nagain"}}, "Untitled: ENOSPC"),
        ({"remaining": ["Build the image"]}, "Untitled: Build the image"),
        ({"labels": ["ci"]}, "Untitled"),
        ({"objective": "x" * 20_000}, f"Untitled: {'x' * 189}…"),
        ({"stuck_reason": f"Signed in with {SECRET} and failed"}, None),
    ],
)
def test_it_is_called_by_what_it_says(stuck: Api, package: Any, title: str | None) -> None:
    shown = file_incomplete(stuck, package)["content"]["title"]
    assert 3 <= len(shown) <= 200
    assert "\n" not in shown
    assert SECRET not in shown
    assert title in (None, shown)


def test_what_it_lacks_follows_from_what_it_says(stuck: Api) -> None:
    takeover = file_incomplete(stuck, make_package(mode="takeover_requested"))
    assert (takeover["mode"], takeover["missing_fields"]) == (
        "takeover_requested",
        ["task_criteria"],
    )
    empty = file_incomplete(stuck, make_package(blocker_criteria=[]))
    assert empty["missing_fields"] == ["blocker_criteria"]
    body = {"store": "main", "object": f"sha256:{'a' * 64}", "kind": "body"}
    kept = file_incomplete(stuck, {"title": "Ours alone", "data_refs": [body]})
    assert kept["missing_fields"] == ["blocker_criteria"]


def test_a_whole_package_files_as_ever(stuck: Api, solver: Api) -> None:
    ticket = file_incomplete(stuck, make_package())
    assert (ticket["incomplete"], ticket["missing_fields"]) == (False, [])
    without_mode = file_incomplete(stuck, make_package(mode=None))
    assert (without_mode["incomplete"], without_mode["mode"]) == (False, "blocker_only")
    assert without_mode["content"]["package"]["mode"] == "blocker_only"
    assert len(solver.get("/api/v1/work").ok()["claimable"]) == 2


def test_what_is_there_must_be_right(stuck: Api) -> None:
    broken = {"title": "ab", "attempts": [{"what": "x"}], "priority": 1, "urgency": 11}
    with nothing_changes(), pytest.raises(Invalid) as refused:
        file_incomplete(stuck, broken)
    assert {one["path"] for one in refused.value.details["fields"]} == {
        "package.title",
        "package.attempts[0].result",
        "package.priority",
        "package.urgency",
    }
    with nothing_changes(), pytest.raises(Invalid):
        file_incomplete(stuck, "no object")


def test_what_is_there_is_masked(stuck: Api) -> None:
    ticket = file_incomplete(stuck, {"context": {"logs": f"token={SECRET}"}})
    assert SECRET not in str(ticket)
    assert [one["where"] for one in ticket["findings"]] == ["package.context.logs"]


def test_it_is_filed_in_the_write_in_hand(stuck: Api, desk: Desk) -> None:
    """With what happened before it in one transaction, and not at all when that fails."""
    now, actor = clock.now(), caller_of(stuck)
    prepared = ticket_prepare(actor=actor, package={"title": "In hand"}, lenient=True, now=now)
    with unit_of_work(actor, now) as unit:
        unit.event("signal_raised", ticket_id=prepared.ticket.id)
        filed = ticket_create_in(unit, prepared)
    assert filed.card.facts.ref == "SB-1"
    events = Event.objects.of(desk.org.id).order_by("seq").values_list("type", "ticket_id", "data")
    assert list(events)[-2:] == [
        ("signal_raised", filed.ticket.id, {}),
        (
            "ticket_created",
            filed.ticket.id,
            {"mode": "blocker_only", "urgency": 5} | {"missing_fields": REST},
        ),
    ]
    again = ticket_prepare(actor=actor, package={}, lenient=True, now=now)
    with contextlib.suppress(RuntimeError), unit_of_work(actor, now) as unit:
        ticket_create_in(unit, again)
        raise RuntimeError
    assert Ticket.objects.of(desk.org.id).count() == 1


def test_a_create_is_as_strict_as_it_was(stuck: Api) -> None:
    now = clock.now()
    with nothing_changes(), pytest.raises(Invalid) as refused:
        ticket_create(actor=caller_of(stuck), package={"title": "Short"}, now=now)
    paths = {one["path"] for one in refused.value.details["fields"]}
    assert paths == {f"package.{name}" for name in (*REST, "mode")}


def test_a_dry_run_says_what_would_be_missing(stuck: Api) -> None:
    def tried(package: Any) -> tuple[bool, bool, list[str]]:
        told = stuck.post("/api/v1/packages/check", {"package": package}).ok()
        return told["accepted"], told["complete"], told["missing_fields"]

    assert tried(make_package()) == (True, True, [])
    assert tried({}) == (False, False, ["title", *REST])
    assert tried(make_package(urgency=11)) == (False, True, [])
    assert tried(make_package(urgency=11, title=None)) == (False, False, ["title"])
    assert tried(make_package(mode=None)) == (False, True, []), "a signal files it as it is"
    assert tried(make_package(mode="takeover_allowed")) == (False, False, ["task_criteria"])


def test_a_signal_files_it(stuck: Api, solver: Api) -> None:
    body = {"type": "budget", "package": {"stuck_reason": "The budget ran out"}}
    ticket = stuck.post("/api/v1/signals", body).ok(201)["ticket"]
    assert (ticket["incomplete"], ticket["status"]["rule"]) == (True, "incomplete")
    whole = {"package": make_package()}
    done = stuck.post(f"/api/v1/tickets/{ticket['ref']}/package", whole).ok()["ticket"]
    assert done["incomplete"] is False
    assert len(solver.get("/api/v1/work").ok()["claimable"]) == 1
