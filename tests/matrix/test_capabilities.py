"""`you.can` is what the services allow, for everybody in every state."""

from datetime import timedelta
from typing import Any, Final

import pytest
import time_machine

from stuckbot.lib import clock
from stuckbot.site.api import urls
from stuckbot.site.api.operations import OPERATIONS
from tests.matrix.scene import undone
from tests.matrix.stage import STATES, Stage
from tests.support import Desk
from tickets.capabilities import SCOPE_OF

OPERATION_OF: Final = {
    "claim_ticket": ("claim",),
    "continue_task": ("continue",),
    "renew_claim": ("renew",),
    "release_ticket": ("force_release",),
    "withdraw_ticket": ("withdraw",),
    "post_update": ("post_update",),
    "escalate_ticket": ("escalate",),
    "handoff_ticket": ("handoff",),
    "update_package": ("update_package",),
    "close_ticket": ("close",),
    "reopen_ticket": ("reopen",),
    "block_ticket": ("block",),
    "unblock_ticket": ("unblock",),
    "add_evidence": ("add_evidence",),
    "submit_stage": ("submit_blocker", "submit_task"),
    "add_comment": ("comment",),
    "decide_verification": ("decide_approve", "decide_reject"),
    "approve_ticket": ("approve",),
    "mark_criterion_met": ("mark_met",),
    "pause_ticket": ("pause",),
    "resume_ticket": ("resume",),
    "send_back": ("send_back",),
    "take_over": ("take_over",),
    "edit_ticket": ("edit", "explain"),
}


def test_it_names_operations_and_their_scopes() -> None:
    assert urls.MODULES
    assert set(OPERATION_OF) == set(SCOPE_OF)
    scopes = {one.id: one.scope for one in OPERATIONS.values() if one.id in SCOPE_OF}
    assert scopes == SCOPE_OF


@pytest.mark.parametrize(
    ("mode", "state"), [*STATES, *[("over", one) for one in ("working", "continuing")]]
)
def test_it_offers_what_the_services_allow(
    mode: str, state: str, desk: Desk, other: Desk, settings: Any
) -> None:
    settings.RATE_LIMIT = None
    stage = Stage(desk, other, "takeover" if mode == "over" else mode)
    with time_machine.travel(clock.now(), tick=False) as traveller:
        stage.scene.reach(state)
        if mode == "over":
            traveller.shift(timedelta(minutes=61))
        for name in ("creator", "solver", "agent", "member", "viewer"):
            detail = stage.callers[name].get(stage.scene.path).ok()["ticket"]
            allowed = {one for one in OPERATION_OF if _allows(stage, name, one)}
            assert (name, set(detail["you"]["can"])) == (name, allowed)


@pytest.mark.parametrize("paused", ["ticket", "project", "org"])
def test_it_offers_no_claim_while_paused(paused: str, desk: Desk, other: Desk) -> None:
    stage = Stage(desk, other, "takeover")
    path = {
        "ticket": f"tickets/{stage.scene.ref}",
        "project": f"projects/{desk.org.default_project_id}",
        "org": "org",
    }[paused]
    stage.callers["member"].post(f"/api/v1/{path}/pause").ok()
    for name in ("creator", "agent", "member"):
        detail = stage.callers[name].get(stage.scene.path).ok()["ticket"]
        assert detail["paused"] is True
        assert "claim_ticket" not in detail["you"]["can"]
        reply = stage.act(name, "claim")
        assert (reply.status, reply.code) == (409, "ticket_paused")


def test_it_offers_no_claim_of_what_is_kept_for_another(desk: Desk, other: Desk) -> None:
    stage = Stage(desk, other, "takeover")
    me = stage.callers["solver"].get("/api/v1/agents/me").ok()["agent"]["id"]
    stage.scene.row_set(reserved_for_id=me)
    for name, heard in (("agent", 403), ("member", 403), ("solver", 200)):
        can = stage.callers[name].get(stage.scene.path).ok()["ticket"]["you"]["can"]
        assert ("claim_ticket" in can) is (heard == 200)
        assert stage.act(name, "claim").status == heard


@pytest.mark.parametrize("scope", sorted({one for one in SCOPE_OF.values() if one}))
def test_it_offers_nothing_beyond_the_scopes(scope: str, desk: Desk, other: Desk) -> None:
    """A holder and creator without one scope: its own ticket stays readable."""
    scopes = {"tickets:create", "tickets:claim", "tickets:update", "evidence:submit"}
    kept = sorted((scopes | {"tickets:read_project"}) - {scope})
    stage = Stage(desk, other, "takeover")
    poor = desk.agent("poor", scopes=kept)
    me = poor.get("/api/v1/agents/me").ok()["agent"]["id"]
    stage.scene.reach("claimed")
    stage.scene.row_set(creator_id=me, solver_id=me)
    stage.callers["poor"] = poor
    can = poor.get(stage.scene.path).ok()["ticket"]["you"]["can"]
    assert set(can) == {one for one in OPERATION_OF if _allows(stage, "poor", one)}
    assert not [one for one in can if SCOPE_OF[one] == scope]


def _allows(stage: Stage, name: str, operation: str) -> bool:
    """One of the operation's actions is not refused for who asks, nor for the state."""
    heard = set()
    for action in OPERATION_OF[operation]:
        with undone():
            heard.add(stage.act(name, action).status)
    return bool(heard - {403, 404, 409})
