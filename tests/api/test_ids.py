"""Ids: of another org, of nothing, in every spelling; pages, limits and cursors."""

import base64
from typing import Any
from uuid import uuid4

import pytest

from stuckbot.lib import paging
from tests.api.refusals import nothing_changes, paths, refused
from tests.support import Api, Desk, Reply, file_ticket, make_package

NONE_SUCH = [
    "SB-0",
    "SB-01",
    "SB-2",
    "SB--1",
    "SB-1.0",
    "SB-+1",
    "SB-1 ",
    "SB-١",
    "SB-999999999999999999",
    "SB-999999999999999999999",
    "SB-" + "9" * 5_000,
    "SB",
    "1",
    "none",
    "%00",
    "%FF",
    "00000000-0000-0000-0000-000000000000",
    "{}",
    "' OR 1=1 --",
]


def _said(reply: Reply) -> tuple[int, str, str]:
    error = reply.json["error"]
    return reply.status, error["code"], error["message"]


@pytest.mark.parametrize("ref", NONE_SUCH)
def test_it_finds_nothing_by_what_is_no_id(ref: str, stuck: Api) -> None:
    file_ticket(stuck)
    with nothing_changes():
        refused(stuck.get(f"/api/v1/tickets/{ref}"), 404, "not_found")
        refused(stuck.get(f"/api/v1/tickets/{ref}/events"), 404, "not_found")
        refused(stuck.post(f"/api/v1/tickets/{ref}/claim"), 404, "not_found")


def test_it_takes_an_id_in_any_case(stuck: Api) -> None:
    ticket = file_ticket(stuck)
    for ref in ("SB-1", "sb-1", "Sb-1", ticket["id"], ticket["id"].upper()):
        assert stuck.get(f"/api/v1/tickets/{ref}").ok()["ticket"]["id"] == ticket["id"]


def test_it_hides_other_orgs_behind_the_same_words(other: Desk, stuck: Api, mallory: Api) -> None:
    ticket = file_ticket(stuck)
    foreign = other.agent("foreign")
    for bearer in (mallory, foreign):
        theirs = bearer.get(f"/api/v1/tickets/{ticket['id']}")
        assert _said(theirs) == _said(bearer.get(f"/api/v1/tickets/{uuid4()}"))
        assert _said(theirs) == _said(bearer.get("/api/v1/tickets/SB-1"))
        assert bearer.get("/api/v1/tickets").ok()["tickets"] == []
    assert foreign.get("/api/v1/work").ok()["claimable"] == []


@pytest.mark.parametrize("field", ["project_id", "assignee"])
def test_it_files_nothing_for_a_strangers_id(
    field: str, desk: Desk, other: Desk, stuck: Api
) -> None:
    strange = {
        "project_id": other.org.default_project_id,
        "assignee": other.people["mallory"].actor_id,
    }
    with nothing_changes():
        body: dict[str, Any] = {"package": make_package(), field: str(strange[field])}
        theirs = stuck.post("/api/v1/tickets", body)
        refused(theirs, 404, "not_found")
        none = stuck.post("/api/v1/tickets", body | {field: str(uuid4())})
        assert _said(theirs) == _said(none)
        reply = stuck.post("/api/v1/tickets", body | {field: "no-id"})
        assert paths(refused(reply, 422, "invalid_request")) == [field]


def test_it_registers_no_agent_under_a_strangers_id(desk: Desk, other: Desk) -> None:
    secret = Api(desk.enrollment_secret)
    parent = other.agent("parent").get("/api/v1/agents/me").ok()["agent"]["id"]
    with nothing_changes():
        for body in (
            {"parent_agent_id": parent},
            {"project_ids": [str(other.org.default_project_id)]},
            {"parent_agent_id": str(uuid4())},
        ):
            refused(secret.post("/api/v1/agents/register", body), 404, "not_found")
        reply = secret.post("/api/v1/agents/register", {"project_ids": ["x", "y"]})
        found = paths(refused(reply, 422, "invalid_request"))
        assert found == ["project_ids[0]", "project_ids[1]"]


def test_a_heartbeat_passes_over_what_is_not_held(
    desk: Desk, other: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    file_ticket(stuck)
    strange = file_ticket(other.agent("foreign"))["id"]
    named = ["SB-2", "SB-0", strange, "no-id", "SB-" + "9" * 30, str(uuid4())]
    with nothing_changes("Agent"):
        solver.post("/api/v1/agents/me/heartbeat", {"tickets": named}).ok()
        solver.post("/api/v1/agents/me/heartbeat", {"usage": {"tokens": 5}}).ok()
    solver.post("/api/v1/tickets/SB-1/claim", {"lease_minutes": 60}).ok()
    before = solver.get("/api/v1/tickets/SB-1").ok()["ticket"]["claim"]
    solver.post("/api/v1/agents/me/heartbeat", {"tickets": [*named, "SB-1"]}).ok()
    after = solver.get("/api/v1/tickets/SB-1").ok()["ticket"]["claim"]
    assert (after["id"], after["started_at"]) == (before["id"], before["started_at"])
    assert after["expires_at"] > before["expires_at"]


@pytest.mark.parametrize("limit", ["0", "101", "abc", "-1", "1.5", "١", "9" * 400, "%00", "1e1"])
@pytest.mark.parametrize("path", ["/api/v1/tickets"])
def test_it_refuses_a_limit_out_of_range(path: str, limit: str, stuck: Api) -> None:
    with nothing_changes():
        reply = stuck.get(f"{path}?limit={limit}")
        assert paths(refused(reply, 422, "invalid_request")) == ["limit"]


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "!!!!",
        "%00",
        "é",
        _encoded("no dot"),
        _encoded("1.2.3"),
        _encoded("x." + "0" * 32),
        _encoded("9" * 400 + "." + "0" * 32),
        _encoded("1." + "z" * 32),
        "a" * 5_000,
    ],
)
def test_it_refuses_a_cursor_of_its_own_making(cursor: str, stuck: Api) -> None:
    with nothing_changes():
        reply = stuck.get(f"/api/v1/tickets?cursor={cursor}")
        assert paths(refused(reply, 422, "invalid_request")) == ["cursor"]
        reply = stuck.get(f"/api/v1/work?cursor={cursor}")
        assert paths(refused(reply, 422, "invalid_request")) == ["cursor"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("tickets?state=opened", "state"),
        ("tickets?state=open,%00", "state"),
        ("tickets?color=BLUE", "color"),
        ("tickets?project_id=x", "project_id"),
        ("tickets?mine=yes", "mine"),
        ("tickets?archived=2", "archived"),
        ("work?mode=any", "mode"),
        ("work?min_urgency=0", "min_urgency"),
        ("work?min_urgency=11", "min_urgency"),
        ("work?min_urgency=٣", "min_urgency"),
        ("work?project_id=1,2", "project_id"),
        ("work?project_id=,", "project_id"),
        ("work?mode=,", "mode"),
        ("tickets?state=open,", "state"),
        ("tickets?color=,RED", "color"),
        ("tickets/SB-1/events?after=x", "after"),
        ("tickets/SB-1/events?after=-1", "after"),
        ("tickets/SB-1/events?after=9999999999999999999", "after"),
    ],
)
def test_it_refuses_a_filter_it_does_not_know(path: str, name: str, stuck: Api) -> None:
    file_ticket(stuck)
    reply = stuck.get(f"/api/v1/{path}")
    assert paths(refused(reply, 422, "invalid_request")) == [name]


@pytest.mark.parametrize(
    "query",
    ["tickets?state=&color=&mine=&archived=&project_id=&limit=&cursor=&q=", "work?mode=&labels="],
)
def test_an_empty_filter_is_none(query: str, stuck: Api) -> None:
    """As the document says of each."""
    file_ticket(stuck)
    plain = query.partition("?")[0]
    assert stuck.get(f"/api/v1/{query}").ok() == stuck.get(f"/api/v1/{plain}").ok()


def test_it_offers_nothing_for_labels_that_nobody_has(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    for query in ("labels=none", "labels=a,b", "skills=%F0%9F%98%80", f"project_id={uuid4()}"):
        assert stuck.get(f"/api/v1/work?{query}").status == 200


def test_a_strange_cursor_of_the_poll_starts_at_now(
    desk: Desk, other: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    heard = stuck.get("/api/v1/work").ok()
    assert [one["type"] for one in heard["updates"]] == ["ticket_claimed"]
    theirs = other.agent("foreign").get("/api/v1/work").ok()["next_cursor"]
    scope, _ = paging.mark_read(heard["next_cursor"])
    for cursor in (theirs, paging.mark_make(scope, 10**17), paging.mark_make("nobody", 0)):
        answer = stuck.get(f"/api/v1/work?cursor={cursor}").ok()
        assert answer["updates"] == []
        solver.post("/api/v1/tickets/SB-1/updates", {"body": "x"}).ok(201)
        later = stuck.get(f"/api/v1/work?cursor={answer['next_cursor']}").ok()
        assert [one["type"] for one in later["updates"]] == ["update_posted"]


def test_it_pages_without_a_gap_while_tickets_arrive(stuck: Api) -> None:
    filed = [file_ticket(stuck)["ref"] for _ in range(5)]
    seen: list[str] = []
    cursor = ""
    while True:
        page = stuck.get(f"/api/v1/tickets?limit=2{cursor}").ok()
        seen += [one["ref"] for one in page["tickets"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
        file_ticket(stuck)
    assert seen == filed[::-1]
