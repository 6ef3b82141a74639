"""(state, action) × caller, against the tests' own copy of the rows."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from stuckbot.lib import clock
from tests.matrix.moves_rows import LATER, REVIEWING, Row, row_for
from tests.matrix.scene import undone
from tests.matrix.stage import ACTIONS, STATES, Stage
from tests.support import Desk, Reply
from tickets import states
from tickets.models import Claim, Ticket
from verification.states import VerificationState


def _named(mode: str, state: str) -> str:
    return f"blocker_resolved.{mode}" if state == "blocker_resolved" else state


def _lease_faults(row: Row, before: Ticket, after: Ticket) -> list[str]:
    """What the lease should have become and did not."""
    same = after.claim_id == before.claim_id
    ends_later = bool(
        after.lease_until and before.lease_until and after.lease_until > before.lease_until
    )
    holds = {
        "start": after.claim_id is not None and not same,
        "restart": same and ends_later,
        "extend": same and ends_later,
        "keep": same and after.lease_until == before.lease_until,
        "end": after.claim_id is None and after.lease_until is None,
        "-": same,
    }[row.lease]
    live = Claim.objects.of(after.org_id).filter(ticket=after, ended_at=None)
    agree = set(live.values_list("id", flat=True)) == ({after.claim_id} - {None})
    faults = [] if holds else [f"lease is not {row.lease}"]
    return faults if agree else [*faults, "claim rows and ticket differ"]


def _faults(stage: Stage, state: str, name: str, action: str) -> list[str]:
    roles = stage.roles(name, state.partition(".")[0])
    row = row_for(_named(stage.mode, state), action, roles)
    expected = row.to if row else "409 invalid_transition"
    before, told = stage.scene.row, stage.events()
    reply = stage.act(name, action)
    after, heard = stage.scene.row, stage.events()[len(told) :]
    if expected[0].isdigit():
        got = f"{reply.status} {reply.code}" if reply.status >= 400 else str(reply.status)
        faults = [] if got == expected else [f"{got}, not {expected}"]
        if _columns(after) != _columns(before) or heard:
            faults.append("a refusal changed the ticket")
        if expected.endswith("invalid_transition") and got == expected:
            faults += _transition_faults(reply, action, before)
        return faults
    assert row is not None
    if reply.status not in (200, 201):
        return [f"{reply.status} {reply.code}, not {expected}"]
    woken = ["it hears of its own act"] if stage.woken(len(told)) else []
    return woken + _move_faults(row, before, after, heard)


def _move_faults(row: Row, before: Ticket, after: Ticket, heard: list[str]) -> list[str]:
    faults = _lease_faults(row, before, after)
    wanted = before.state if row.to == "same" else row.to
    if after.state != wanted:
        faults.append(f"ended {after.state}, not {wanted}")
    if heard != row.events.split():
        faults.append(f"told {heard}, not {row.events.split()}")
    steps = 0 if row.action in ("renew", "comment") else 1
    if after.version != before.version + steps:
        faults.append(f"version went {before.version} to {after.version}")
    return faults


def _transition_faults(reply: Reply, action: str, before: Ticket) -> list[str]:
    """The details say how the ticket stands; of a verification, how that does."""
    known = VerificationState.values if action in REVIEWING.split() else [before.state]
    if reply.details.get("state") in known and "allowed" in reply.details:
        return []
    return [f"details are {reply.details}"]


def _columns(ticket: Ticket) -> dict[str, Any]:
    return {field.attname: getattr(ticket, field.attname) for field in ticket._meta.concrete_fields}


@pytest.mark.parametrize(("mode", "state"), STATES)
def test_it_moves_as_the_rows_say(
    mode: str, state: str, desk: Desk, other: Desk, settings: Any
) -> None:
    settings.RATE_LIMIT = None
    stage = Stage(desk, other, mode)
    with time_machine.travel(clock.now(), tick=False) as traveller:
        stage.scene.reach(state)
        if state.partition(".")[0] in states.LEASED:
            for one in ("blocker", "task"):
                _proved(stage, one, state)
        traveller.shift(timedelta(minutes=1))
        wrong = []
        for action in ACTIONS:
            for name in stage.callers:
                with undone():
                    faults = _faults(stage, state, name, action)
                wrong += [f"{action} by {name}: {fault}" for fault in faults]
    assert wrong == []


def _proved(stage: Stage, kind: str, state: str) -> None:
    """Everything proved, without the first evidence's own move from claimed to working."""
    if kind == ("task" if state == "continuing" else "blocker"):
        stage.scene.prove(kind)
        stage.scene.row_set(state=state)


@pytest.mark.parametrize(("action", "source", "target", "lease", "event"), LATER)
def test_it_keeps_rows_of_later_doors(
    action: str, source: str, target: str, lease: str, event: str
) -> None:
    move = states.move_find(action, source, "takeover_allowed")
    assert move is not None
    assert (move.target, move.lease, move.event) == (target, lease, event)
