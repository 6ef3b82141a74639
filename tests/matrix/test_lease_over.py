"""A lease that ran out, before any sweep: every action goes as if the ticket were free already."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from stuckbot.lib import clock
from tests.matrix.moves_rows import HOLDING, Row, row_for
from tests.matrix.scene import undone
from tests.matrix.stage import ACTIONS, Stage
from tests.support import Desk
from tickets.models import Claim, Ticket

FREED = {"claimed": "open", "working": "open", "continuing": "blocker_resolved"}
#: What changes no ticket leaves the writing down of the lease's end to the next mover.
WRITES_NO_STATE = ("comment",)


@pytest.mark.parametrize("state", FREED)
def test_it_moves_a_ticket_whose_lease_is_over(
    state: str, desk: Desk, other: Desk, settings: Any
) -> None:
    settings.RATE_LIMIT = None
    stage = Stage(desk, other, "takeover")
    with time_machine.travel(clock.now(), tick=False) as traveller:
        stage.scene.reach(state)
        traveller.shift(timedelta(minutes=60))
        wrong = []
        for action in ACTIONS:
            for name in stage.callers:
                with undone():
                    faults = _faults(stage, FREED[state], name, action)
                wrong += [f"{action} by {name}: {fault}" for fault in faults]
    assert wrong == []


def _faults(stage: Stage, free: str, name: str, action: str) -> list[str]:
    shown = f"{free}.takeover" if free == "blocker_resolved" else free
    row = row_for(shown, action, stage.roles(name, free))
    expected = row.to if row else "409 invalid_transition"
    if name == "solver" and action in HOLDING.split():
        expected = "409 not_claim_holder"
    before, told = stage.scene.row, stage.events()
    reply = stage.act(name, action)
    after, heard = stage.scene.row, stage.events()[len(told) :]
    if reply.status >= 400:
        got = f"{reply.status} {reply.code}"
        faults = [] if got == expected else [f"{got}, not {expected}"]
        return faults if (after.version, heard) == (before.version, []) else [*faults, "changed"]
    assert row is not None
    return _move_faults(row, free, after, heard)


def _move_faults(row: Row, free: str, after: Ticket, heard: list[str]) -> list[str]:
    if row.action in WRITES_NO_STATE:
        return [] if heard == row.events.split() else [f"told {heard}"]
    wanted = free if row.to == "same" else row.to
    ended = Claim.objects.of(after.org_id).filter(ticket=after, end_reason="expired")
    faults = {
        f"ended {after.state}, not {wanted}": after.state == wanted,
        f"told {heard}": heard == ["claim_expired", *row.events.split()],
        "the claim is not recorded as expired": ended.exists(),
        "the lease runs on": (after.claim_id is None) == (row.lease != "start"),
    }
    return [fault for fault, holds in faults.items() if not holds]
