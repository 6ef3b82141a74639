"""What `q` finds, in which order, for whom."""

from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import call_command

from stuckbot.lib import clock
from stuckbot.site.tasks import due_now, sweep
from tests.search.indexed import found, read
from tests.support import Api, Desk, file_ticket, prove, resolve
from tickets.models import SearchCount, SearchDoc, SearchOrg, Ticket
from tickets.search.index import search_forget

ERRORS = {
    "errors": [
        "ModuleNotFoundError: No module named 'yaml'\n  at src/loader/config.py:12",
        "psycopg.OperationalError: connection to 10.0.0.7 failed: ECONNREFUSED",
    ]
}


@pytest.fixture
def filed(desk: Desk, stuck: Api) -> list[dict[str, Any]]:
    one = file_ticket(stuck, title="The gizmo cannot be built", labels=["ci:nightly"])
    two = file_ticket(
        stuck,
        title="Nightly import stops",
        stuck_reason="Der Größe-Check schlägt fehl",
        context=ERRORS,
        attempts=[{"what": "pinned libfoo 0.9", "result": "exits with 0xdeadbeef"}],
    )
    read(desk)
    return [one, two]


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("gizmo", ["SB-1"]),
        ("GIZMO built", ["SB-1"]),
        ("buil", ["SB-1", "SB-2"]),
        ("nightly", ["SB-2", "SB-1"]),
        ("ModuleNotFoundError", ["SB-2"]),
        ("NotFoundError", ["SB-2"]),
        ("modulenotf", ["SB-2"]),
        ("src/loader/config.py", ["SB-2"]),
        ('"loader config"', ["SB-2"]),
        ('"config loader"', []),
        ("10.0.0.7", ["SB-2"]),
        ("econnrefused", ["SB-2"]),
        ("0xdeadb", ["SB-2"]),
        ("libfoo", ["SB-2"]),
        ("groesse", []),
        ("grösse schlagt", ["SB-2"]),
        ("GRÖSSE", ["SB-2"]),
        ("ci:nightly", ["SB-1"]),
        ("nightly -gizmo", ["SB-2"]),
        ("nightly -", ["SB-2", "SB-1"]),
        ("-gizmo", []),
        ("SB-2", ["SB-2"]),
        ("sb-1", ["SB-1"]),
        ("SB-7", []),
        ("'; DROP TABLE tickets_ticket; --", []),
        ('"', []),
    ],
)
def test_it_finds_words(filed: list[Any], alice: Api, q: str, expected: list[str]) -> None:
    assert found(alice, q) == expected


def test_a_match_in_the_title_comes_first_then_the_newest(desk: Desk, stuck: Api) -> None:
    for title, reason in (
        ("Wombat away", "x"),
        ("Other", "the wombat"),
        ("A wombat again", "x"),
        ("Another", "wombat"),
    ):
        file_ticket(stuck, title=title, stuck_reason=reason)
    read(desk)
    assert found(stuck, "wombat") == ["SB-3", "SB-1", "SB-4", "SB-2"]
    assert found(stuck, "wombat", limit=1) == ["SB-3", "SB-1", "SB-4", "SB-2"]
    file_ticket(stuck, title="See SB-1 for a wombat")
    read(desk)
    assert found(stuck, "SB-1", limit=1) == ["SB-1", "SB-5"]


def test_it_finds_what_was_said_of_the_fix(desk: Desk, stuck: Api, solver: Api) -> None:
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    prove(solver, ref).ok(201)
    answer = {"outcome": "Pinned the quokka", "resolution": {"summary": "See the axolotl patch"}}
    solver.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker", **answer}).ok()
    read(desk)
    assert found(stuck, "quokka") == found(stuck, "axolotl") == [ref]


def test_it_follows_what_is_changed(desk: Desk, stuck: Api, alice: Api) -> None:
    ticket = file_ticket(stuck)
    read(desk)
    summary = {"problem": "A narwhal", "impact": "None", "next_step": "Look"}
    body = {"human_summary": summary, "version": ticket["version"], "labels": ["zebra"]}
    alice.call("PATCH", "/api/v1/tickets/SB-1", body).ok()
    assert found(alice, "narwhal") == []
    read(desk)
    assert found(alice, "narwhal") == found(alice, "zebra") == ["SB-1"]
    assert found(alice, '"missing Python"') == []


def test_the_sweep_keeps_it_and_a_lost_worker_loses_nothing(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck, title="A pangolin")
    assert due_now()
    sweep()
    sweep()
    assert found(stuck, "pangolin") == ["SB-1"]
    assert not due_now()


def test_reading_twice_changes_nothing(desk: Desk, stuck: Api, filed: list[Any]) -> None:
    counts = sorted(SearchCount.objects.of(desk.org.id).values_list("bucket", "number"))
    call_command("search_rebuild", "--org", str(desk.org.id))
    assert sorted(SearchCount.objects.of(desk.org.id).values_list("bucket", "number")) == counts
    assert found(stuck, "gizmo") == ["SB-1"]


def test_it_is_made_anew_by_command(desk: Desk, other: Desk, stuck: Api, mallory: Api) -> None:
    file_ticket(stuck, title="A pangolin")
    file_ticket(mallory, title="Their pangolin")
    call_command("search_rebuild")
    assert found(stuck, "pangolin") == ["SB-1"]
    SearchDoc.objects.of(desk.org.id).all().delete()
    assert found(stuck, "pangolin") == []
    call_command("search_rebuild", "--words-only")
    assert found(stuck, "pangolin") == ["SB-1"]


def test_it_never_shows_another_orgs(desk: Desk, other: Desk, stuck: Api, mallory: Api) -> None:
    file_ticket(stuck, title="A pangolin")
    file_ticket(mallory, title="Their pangolin")
    read(desk)
    read(other)
    assert [one["content"]["title"] for one in _page(mallory, "pangolin")] == ["Their pangolin"]
    assert [one["content"]["title"] for one in _page(stuck, "pangolin")] == ["A pangolin"]
    assert SearchOrg.unscoped.count() == 2


def _page(api: Api, q: str) -> list[Any]:
    return list(api.get(f"/api/v1/tickets?q={quote(q)}").ok()["tickets"])


def test_an_agent_finds_what_it_may_read(desk: Desk, alice: Api, stuck: Api) -> None:
    project = desk.org.default_project_id
    inside = desk.agent("inside", project_ids=[str(project)])
    outside = desk.agent("blind", scopes=["tickets:create", "tickets:claim"])
    file_ticket(stuck, title="A pangolin")
    file_ticket(outside, title="My pangolin")
    read(desk)
    assert found(inside, "pangolin") == ["SB-2", "SB-1"]
    assert outside.get("/api/v1/tickets?q=pangolin").status == 403 or (
        found(outside, "pangolin") == ["SB-2"]
    )


def test_it_narrows_what_it_finds(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, title="First pangolin")
    file_ticket(solver, title="Second pangolin")
    resolve(solver, "SB-1")
    read(desk)
    assert found(stuck, "pangolin", archived=1) == ["SB-1"]
    assert found(stuck, "pangolin", archived=0) == ["SB-2"]
    assert found(stuck, "pangolin", color="ORANGE") == ["SB-2"]
    assert found(stuck, "pangolin", state="blocker_resolved") == ["SB-1"]
    assert found(stuck, "pangolin", mine=1) == ["SB-1"]
    assert found(solver, "SB-1", archived=0) == []


def test_it_forgets(desk: Desk, stuck: Api) -> None:
    ticket = file_ticket(stuck, title="A pangolin", stuck_reason="The pangolin sleeps soundly")
    file_ticket(stuck, title="A pangolin too", stuck_reason="The pangolin sleeps as well")
    read(desk)
    row = Ticket.objects.of(desk.org.id).get(id=ticket["id"])
    search_forget(row.id, row.org_id)
    search_forget(row.id, row.org_id)
    assert found(stuck, "pangolin") == ["SB-2"]
    known = SearchDoc.objects.of(desk.org.id).values_list("stems", flat=True).get()
    counts = SearchCount.objects.of(desk.org.id).filter(number__gt=0)
    assert counts.count() == len(known.split()) + 1


def test_it_refuses_what_is_no_query_or_cursor(alice: Api, filed: list[Any]) -> None:
    long = alice.get(f"/api/v1/tickets?q={'x' * 401}")
    assert (long.status, long.details["fields"][0]["path"]) == (422, "q")
    for cursor in ("nonsense", "cTk6MQ", "MTox", "cTE6OTk5OTk5OTk5OTk5"):
        refused = alice.get(f"/api/v1/tickets?q=gizmo&cursor={cursor}")
        assert (refused.status, refused.details["fields"][0]["path"]) == (422, "cursor")
    assert len(_page(alice, "   ")) == len(_page(alice, "\x00")) == 2


def test_a_page_is_a_fixed_number_of_statements(
    desk: Desk, stuck: Api, alice: Api, django_assert_num_queries: Any
) -> None:
    for _ in range(3):
        file_ticket(stuck, title="A pangolin")
    read(desk)
    alice.get("/api/v1/tickets?q=pangolin").ok()
    with django_assert_num_queries(6):
        alice.get("/api/v1/tickets?q=pangolin").ok()
    for _ in range(5):
        file_ticket(stuck, title="A pangolin")
    read(desk)
    with django_assert_num_queries(6):
        assert len(_page(alice, "pangolin")) == 8
    assert clock.now() is not None
