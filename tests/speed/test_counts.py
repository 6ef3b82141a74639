"""How many statements each call takes, as a snapshot; transaction control is not counted.

`STATEMENTS_WRITE=1 pytest tests/speed` writes the snapshot anew.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.search.indexed import read
from tests.support import Api, Desk, Reply, file_ticket, fresh_key, make_package, prove

SNAPSHOT = Path(__file__).with_name("counts.json")
#: The most that each may take, whatever the snapshot says.
MOST = {
    "poll unchanged": 1,
    "heartbeat": 3,
    "claim": 11,
    "evidence": 12,
    "create": 14,
    "create, similar ones solved": 14,
}
_CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")


def statements(call: Callable[[], Reply]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        reply = call()
    assert reply.status < 400 or reply.code == "already_claimed", reply.json
    found = [query["sql"].strip() for query in captured.captured_queries]
    return [one for one in found if not one.startswith(_CONTROL)]


@pytest.fixture
def counts(desk: Desk, stuck: Api, solver: Api, racer: Api) -> dict[str, int]:
    def post(api: Api, path: str, body: object = None) -> Callable[[], Reply]:
        return lambda: api.post(f"/api/v1{path}", body, idempotency_key=fresh_key())

    file_ticket(stuck)  # what a process remembers is warm
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    package = {"package": make_package(labels=["ci"], required_skills=["docker"])}
    stuck.post("/api/v1/tickets", package).ok(201)
    etag = solver.get("/api/v1/work").header("ETag") or ""
    calls: dict[str, Callable[[], Reply]] = {
        "poll unchanged": lambda: solver.get("/api/v1/work", if_none_match=etag),
        "poll": lambda: racer.get("/api/v1/work"),
        "heartbeat": post(solver, "/agents/me/heartbeat", {"status": "at work"}),
        "me": lambda: solver.get("/api/v1/agents/me"),
        "create": post(stuck, "/tickets", package),
        "claim": post(solver, "/tickets/SB-2/claim", {}),
        "claim lost": post(racer, "/tickets/SB-2/claim", {}),
        "renew": post(solver, "/tickets/SB-2/claim/renew"),
        "update": post(solver, "/tickets/SB-2/updates", {"body": "On it"}),
        "comment": post(stuck, "/tickets/SB-2/comments", {"body": "Thanks"}),
        "evidence": lambda: prove(solver, "SB-2"),
        "submit": post(solver, "/tickets/SB-2/submit", {"stage": "blocker"}),
        "ticket": lambda: solver.get("/api/v1/tickets/SB-2"),
        "events": lambda: solver.get("/api/v1/tickets/SB-2/events"),
        "list": lambda: solver.get("/api/v1/tickets?limit=25"),
    }
    found = {name: len(statements(call)) for name, call in calls.items()}
    read(desk)  # the submitted one is found by its words now
    found["create, similar ones solved"] = len(statements(post(stuck, "/tickets", package)))
    told = stuck.post("/api/v1/tickets", package).ok(201)
    assert (len(told["similar"]), len(told["similar_solved"])) == (4, 1)
    return found


def test_it_takes_as_many_statements_as_ever(counts: dict[str, int]) -> None:
    vendor = connection.vendor
    kept = json.loads(SNAPSHOT.read_text()) if SNAPSHOT.exists() else {}
    if os.environ.get("STATEMENTS_WRITE"):
        kept[vendor] = counts
        SNAPSHOT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    assert counts == kept[vendor]
    assert {name for name, most in MOST.items() if counts[name] > most} == set()


def test_an_unchanged_poll_writes_nothing(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    etag = solver.get("/api/v1/work").header("ETag") or ""
    found = statements(lambda: solver.get("/api/v1/work", if_none_match=etag))
    assert [one.split()[0] for one in found] == ["SELECT"]


def test_a_list_costs_the_same_however_long(stuck: Api) -> None:
    for _ in range(3):
        file_ticket(stuck)
    short = len(statements(lambda: stuck.get("/api/v1/tickets?limit=25")))
    for _ in range(25):
        file_ticket(stuck)
    assert len(statements(lambda: stuck.get("/api/v1/tickets?limit=25"))) == short
