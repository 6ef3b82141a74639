"""How many statements each page takes, as a snapshot; see `test_counts` for the calls.

`STATEMENTS_WRITE=1 pytest tests/speed` writes the snapshot anew.
"""

import json
import os
from pathlib import Path
from typing import Any

import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from policy.models import Policy
from policy.states import Approval
from stuckbot.lib import clock
from tests.accounts.letters import newest
from tests.matrix.scene import LOOKS, approval
from tests.pages.test_tickets_page import signed_in
from tests.support import TAKEOVER, Api, Desk, file_ticket, make_package, prove, resolve

SNAPSHOT = Path(__file__).with_name("page_counts.json")
#: The most that any page may take.
MOST = 12
PAGES = {
    "board": "/",
    "board narrowed": "/?color=red&urgency=4&whose=mine&label=ci&state=waiting&order=newest",
    "archive": "/archive",
    "ticket": "/tickets/SB-1",
    "comment": "/tickets/SB-1/comment",
    "people": "/people",
    "agents": "/agents",
    "agents narrowed": "/agents?show=all&name=s&connector=none",
    "connectors": "/agents/connectors",
    "make a key": "/agents/key",
    "policy": "/policy",
    "account": "/account",
    "connect": "/connect",
}


def statements(client: Client, path: str, **headers: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = client.get(path, headers=headers)
    assert response.status_code in (200, 304), (path, response.status_code)
    return len(captured)


def deciding(desk: Desk, stuck: Api, solver: Api) -> dict[str, int]:
    """Where a fix waits for a person that its solver changed the package of, a manual check among
    its checks; where it waits for a verifier; and where the desk is to open an address."""
    approval(desk, Approval.PERSON)
    file_ticket(stuck, blocker_criteria=[*make_package()["blocker_criteria"], LOOKS])
    review(solver, "SB-3", {"remaining": ["Nothing"]})
    approval(desk, Approval.AGENT)
    Policy.objects.of(desk.org.id).update(verifier_wait_minutes=30)
    file_ticket(stuck)
    review(solver, "SB-4", {})
    opened = {
        "description": "The page answers",
        "method": "external_check",
        "url": "https://status.example.com/",
        "expected": "200",
    }
    file_ticket(stuck, blocker_criteria=[opened])
    solver.post("/api/v1/tickets/SB-5/claim", {}).ok()
    sent = {"criterion": "b1", "type": "external_check", "payload": {"url": opened["url"]}}
    solver.post("/api/v1/tickets/SB-5/evidence", sent).ok(201)
    pages = {
        "board with a decision": "/",
        "ticket with a check under way": "/tickets/SB-5",
        "ticket to approve": "/tickets/SB-3",
        "approve": "/tickets/SB-3/approve",
        "say that it is met": "/tickets/SB-3/met?criterion=b2",
        "ticket to verify": "/tickets/SB-4",
    }
    client = signed_in(desk, "alice")
    return {name: statements(client, path) for name, path in pages.items()}


def review(solver: Api, ref: str, changes: dict[str, Any]) -> None:
    place = f"/api/v1/tickets/{ref}"
    solver.post(f"{place}/claim", {}).ok()
    if changes:
        package = solver.get(place).ok()["ticket"]["content"]["package"]
        solver.post(f"{place}/package", {"package": package | changes}).ok()
    prove(solver, ref).ok(201)
    solver.post(f"{place}/submit", {"stage": "blocker"}).ok()


def test_it_takes_as_many_statements_as_ever(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, labels=["ci"], **TAKEOVER)
    file_ticket(stuck)
    resolve(solver, "SB-2")
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": "On it"}).ok(201)
    prove(solver, "SB-1").ok(201)
    client = signed_in(desk, "alice")
    counts = {name: statements(client, path) for name, path in PAGES.items()}
    agent = stuck.get("/api/v1/agents/me").ok()["agent"]["id"]
    counts["agent"] = statements(client, f"/agents/{agent}")
    counts["connector"] = statements(client, f"/agents/connectors/{desk.connector.id}")
    with time_machine.travel(clock.now(), tick=False):  # a page is new each minute
        etag = client.get("/").headers["ETag"]
        counts["board unchanged"] = statements(client, "/", if_none_match=etag)
    counts |= deciding(desk, stuck, solver)
    client.post("/people/invite", {"email": "new@example.com", "role": "viewer"})
    counts["people invited"] = statements(client, "/people")
    counts["join"] = statements(Client(), newest().link)
    if os.environ.get("STATEMENTS_WRITE"):
        SNAPSHOT.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")
    assert counts == json.loads(SNAPSHOT.read_text())
    assert {name for name, count in counts.items() if count > MOST} == set()
