"""Whatever part of a package is filed first, completing it makes the ticket that filing it whole
would have made."""

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from stuckbot.site.usecases import work
from tests.matrix.scene import undone
from tests.support import TAKEOVER, Api, make_package
from tests.tickets.lenient import file_incomplete
from tickets.models import Criterion, Tag, Ticket
from tickets.packages.check import REQUIRED
from tickets.services import wordsets

#: Every kind of field there is.
FULL: Final = make_package(
    **TAKEOVER,
    urgency=8,
    labels=["ci", "node"],
    required_skills=["docker"],
    context={"errors": ["gyp ERR!"], "workspace": {"branch": "staging"}},
    repro="npm ci",
    budget_spent={"tokens": 1200},
    schema_version="1",
)
#: What is a ticket's own whenever and in however many parts its package came.
OWN: Final = {
    *("id", "ref", "url", "root_id", "version", "created_at", "updated_at", "package_version"),
    *("status", "findings", "chain", "assignee"),
}
COLUMNS: Final = ("incomplete", "missing", "own_red", "mode", "urgency", "labelset", "skillset")


@pytest.fixture(autouse=True)
def unhurried(settings: Any) -> None:
    settings.RATE_LIMIT = settings.RATE_LIMIT_BURST = 1_000_000


def _told(ticket: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in ticket.items() if name not in OWN}
    return shown | {"criteria": [one | {"locked": None} for one in ticket["criteria"]]}


def _stored(ref: str) -> list[Any]:
    ticket = Ticket.unscoped.get(number=int(ref[3:]))
    rows = Criterion.unscoped.filter(ticket=ticket).order_by("stage", "position")
    tags = Tag.unscoped.filter(ticket=ticket).order_by("label")
    return [
        [getattr(ticket, f"{one}_id", getattr(ticket, one, None)) for one in COLUMNS],
        ticket.offer_at is not None,
        list(rows.values_list("key", "stage", "method", "position", "command", "expected")),
        list(tags.values_list("label", "urgency")),
    ]


@hypothesis_settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.sets(st.sampled_from(sorted(FULL))), second=st.sets(st.sampled_from(sorted(FULL))))
def test_it_is_what_filing_it_whole_would_have_made(
    first: set[str], second: set[str], stuck: Api, solver: Api, bob: Api
) -> None:
    """Filed with one part, perhaps given another, then the whole."""
    # What the process remembers of an example goes with its rows.
    wordsets._wordset_id.cache_clear()
    work._memos.clear()
    with undone():
        reply = stuck.post("/api/v1/tickets", {"package": FULL})
        whole = reply.ok(201)["ticket"]
        part = {name: FULL[name] for name in first}
        parted = file_incomplete(stuck, part)
        assert parted["missing_fields"] == [one for one in REQUIRED if one in _lacks(part)]
        path = f"/api/v1/tickets/{parted['ref']}/package"
        if parted["incomplete"]:
            more = {name: FULL[name] for name in first | second}
            bob.post(path, {"package": more}).ok()
        bob_may = stuck.get(f"/api/v1/tickets/{parted['ref']}").ok()["ticket"]["incomplete"]
        reply = (bob if bob_may else stuck).post(path, {"package": FULL})
        if _was_completed_in_part(first, second):
            # The bar stands from then on: what came with the rest may not move it.
            assert reply.status in (200, 409)
            return
        reply.ok()
        done = stuck.get(f"/api/v1/tickets/{parted['ref']}").ok()["ticket"]
        assert _told(done) == _told(whole)
        assert _stored(done["ref"]) == _stored(whole["ref"])
        offered = [one["ref"] for one in solver.get("/api/v1/work").ok()["claimable"]]
        assert offered == [whole["ref"], done["ref"]]


def _lacks(part: dict[str, Any]) -> set[str]:
    takes_over = part.get("mode", "blocker_only") != "blocker_only"
    wanted = {*REQUIRED} - (set() if takes_over else {"task_criteria"})
    return wanted - {*part}


def _was_completed_in_part(first: set[str], second: set[str]) -> bool:
    """Without its mode a package is whole as one for the blocker alone."""
    part = {name: FULL[name] for name in first}
    both = {name: FULL[name] for name in first | second}
    return bool(_lacks(part)) and not _lacks(both) and "mode" not in both
