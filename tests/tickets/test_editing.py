"""Editing what a ticket says of itself: who may, when, and what follows."""

from typing import Any

import pytest

from stuckbot.lib.models import Event
from tests.api.refusals import nothing_changes, refused
from tests.support import Api, Desk, Reply, file_ticket
from tests.tickets.test_findings import SECRET
from tickets.models import Tag

SAID = {
    "problem": "The build cannot find Python.",
    "impact": "No image can be made.",
    "next_step": "Add it to the builder.",
}


def edit(api: Api, ref: str = "SB-1", version: int = 1, **changes: Any) -> Reply:
    return api.call("PATCH", f"/api/v1/tickets/{ref}", {"version": version, **changes})


def events(desk: Desk) -> list[tuple[str, Any]]:
    rows = Event.objects.of(desk.org.id).order_by("seq")
    return list(rows.values_list("type", "data"))


def test_it_changes_the_explanation(stuck: Api, bob: Api, desk: Desk) -> None:
    file_ticket(stuck)
    ticket = edit(bob, human_summary={**SAID, "outcome": "It builds."}).ok()["ticket"]
    assert ticket["content"]["human_summary"] == {**SAID, "outcome": "It builds."}
    assert ticket["version"] == 2
    told = stuck.get("/api/v1/tickets/SB-1/events").ok()["events"][-1]
    assert (told["type"], told["content"]["problem"]) == ("explanation_edited", SAID["problem"])
    heard = stuck.get("/api/v1/work").ok()["updates"]
    assert [one["type"] for one in heard] == ["explanation_edited"]
    assert events(desk)[-1] == ("explanation_edited", {})


def test_it_explains_a_closed_ticket_and_changes_nothing_else_of_it(
    stuck: Api, bob: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    bob.post("/api/v1/tickets/SB-1/close", {"outcome": "Gave up"}).ok()
    assert edit(bob, version=2, human_summary=SAID).ok()["ticket"]["state"] == "closed"
    with nothing_changes():
        details = refused(edit(bob, version=3, urgency=9), 409, "invalid_transition")
        assert details["state"] == "closed"
        refused(edit(bob, version=3, human_summary=SAID, labels=["a"]), 409, "invalid_transition")


def test_it_changes_what_the_ticket_is_found_by(stuck: Api, solver: Api, bob: Api) -> None:
    file_ticket(stuck, labels=["ci"], urgency=3)
    file_ticket(stuck, labels=["ci"], urgency=5)
    before = solver.get("/api/v1/work?labels=ci")
    edit(bob, urgency=9, labels=["ci", "node", "ci"]).ok()
    after = solver.get("/api/v1/work?labels=ci", if_none_match=before.header("ETag") or "")
    found = after.ok()["claimable"]
    assert [(one["ref"], one["urgency"]) for one in found] == [("SB-1", 9), ("SB-2", 5)]
    assert found[0]["labels"] == ["ci", "node"]
    edit(bob, version=2, labels=[]).ok()
    left = solver.get("/api/v1/work?labels=ci").ok()["claimable"]
    assert [one["ref"] for one in left] == ["SB-2"]
    assert Tag.unscoped.filter(ticket__number=1).count() == 0


def test_a_package_sent_back_as_it_was_read_undoes_no_edit(
    stuck: Api, solver: Api, bob: Api
) -> None:
    file_ticket(stuck, labels=["ci"], urgency=3)
    edit(bob, urgency=9, labels=["node"], human_summary=SAID).ok()
    solver.post("/api/v1/tickets/SB-1/claim").ok()

    def send(**changes: Any) -> dict[str, Any]:
        package = solver.get("/api/v1/tickets/SB-1").ok()["ticket"]["content"]["package"]
        path, body = "/api/v1/tickets/SB-1/package", {"package": package | changes}
        return solver.post(path, body).ok()["ticket"]  # type: ignore[no-any-return]

    kept = send(completed=["The tools are there"])
    assert (kept["urgency"], kept["labels"]) == (9, ["node"])
    assert kept["content"]["human_summary"] == SAID
    tags = Tag.unscoped.filter(ticket__number=1)
    assert list(tags.values_list("label", "urgency")) == [("node", 9)]
    said = {**SAID, "impact": "Little."}
    changed = send(urgency=7, labels=["ci", "big"], human_summary=said)
    assert (changed["urgency"], changed["labels"]) == (7, ["ci", "big"])
    assert changed["content"]["human_summary"] == said
    assert send(labels=[])["labels"] == []
    assert not tags.exists()


def test_it_assigns_a_member_who_hears_of_it(stuck: Api, bob: Api, alice: Api, desk: Desk) -> None:
    file_ticket(stuck)
    owner = str(desk.people["alice"].actor_id)
    assert edit(bob, assignee=owner).ok()["ticket"]["assignee"]["id"] == owner
    assert events(desk)[-1] == ("ticket_edited", {"assignee_id": owner})
    heard = alice.get("/api/v1/work").ok()["updates"]
    assert [one["type"] for one in heard] == ["ticket_edited"]
    assert edit(bob, version=2, assignee=None).ok()["ticket"]["assignee"] is None


def test_it_assigns_nobody_of_another_org(stuck: Api, bob: Api, desk: Desk, other: Desk) -> None:
    file_ticket(stuck)
    with nothing_changes():
        refused(edit(bob, assignee=str(other.people["mallory"].actor_id)), 404, "not_found")
        refused(edit(bob, assignee="bob"), 422, "invalid_request")


def test_it_tells_only_of_what_changed(stuck: Api, bob: Api, desk: Desk) -> None:
    said = file_ticket(stuck, urgency=5, labels=["ci"])["content"]["human_summary"]
    with nothing_changes():
        same = edit(bob, human_summary=said, urgency=5, labels=["ci"], assignee=None)
        assert same.ok()["ticket"]["version"] == 1
    edit(bob, human_summary=SAID, urgency=6, labels=["ci"]).ok()
    assert events(desk)[1:] == [("ticket_edited", {"urgency": 6}), ("explanation_edited", {})]


def test_it_refuses_a_version_that_is_past(stuck: Api, bob: Api, alice: Api) -> None:
    file_ticket(stuck)
    edit(alice, human_summary=SAID).ok()
    with nothing_changes():
        reply = edit(bob, human_summary={**SAID, "problem": "Something else."})
        assert refused(reply, 409, "state_changed") == {"version": 2}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"urgency": 0},
        {"urgency": 11},
        {"urgency": "9"},
        {"labels": ["two words"]},
        {"labels": ["x" * 51]},
        {"labels": [f"l{number}" for number in range(21)]},
        {"human_summary": {"problem": "Only this."}},
        {"human_summary": {**SAID, "problem": " \u200b "}},
        {"human_summary": {**SAID, "problem": "x" * 1201}},
        {"human_summary": {**SAID, "more": "x"}},
        {"version": 0},
        {"version": None},
        {"title": "Another"},
    ],
)
def test_it_refuses_what_does_not_fit(changes: dict[str, Any], stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    with nothing_changes():
        refused(edit(bob, **changes), 422, "invalid_request")


def test_it_masks_the_explanation_and_says_so(stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    edit(bob, human_summary={**SAID, "problem": f"The token {SECRET} is refused."}).ok()
    ticket = bob.get("/api/v1/tickets/SB-1").ok()["ticket"]
    assert ticket["content"]["human_summary"]["problem"] == "The token [REDACTED] is refused."
    assert [one["where"] for one in ticket["findings"]] == ["human_summary.problem"]


def test_it_refuses_a_label_that_looks_like_a_secret(stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    with nothing_changes():
        reply = edit(bob, labels=["ci", SECRET[:50]])
        assert refused(reply, 422, "secret_refused")["fields"][0]["path"] == "labels[1]"
