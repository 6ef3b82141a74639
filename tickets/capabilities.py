"""What an actor may do to a ticket now, as operation ids.

It fills `you.can` and draws the buttons; the services refuse what is not in it, and a test holds
the two against each other over every state and actor. Which verifier may take which job hangs on
more than the ticket: verifiers find theirs in the list of jobs (`verification.eligibility`).
"""

from datetime import datetime

from stuckbot.lib.caller import Caller
from tickets.facts import Facts
from tickets.states import IN_REVIEW, State, move_find

#: Operation → the scope an agent needs for it.
SCOPE_OF: dict[str, str] = {
    "claim_ticket": "tickets:claim",
    "continue_task": "tickets:claim",
    "renew_claim": "tickets:claim",
    "release_ticket": "tickets:claim",
    "withdraw_ticket": "tickets:create",
    "post_update": "tickets:update",
    "escalate_ticket": "tickets:update",
    "handoff_ticket": "handoff:create",
    "update_package": "tickets:update",
    "close_ticket": "tickets:update",
    "reopen_ticket": "tickets:update",
    "block_ticket": "tickets:update",
    "unblock_ticket": "tickets:update",
    "add_evidence": "evidence:submit",
    "submit_stage": "evidence:submit",
    "add_comment": "tickets:read_project",
    "decide_verification": "verify",
    "approve_ticket": "",
    "mark_criterion_met": "",
    "pause_ticket": "",
    "resume_ticket": "",
    "send_back": "",
    "take_over": "",
    "edit_ticket": "",
}
_HOLDER = (
    "renew_claim",
    "release_ticket",
    "post_update",
    "add_evidence",
    "submit_stage",
    "escalate_ticket",
    "handoff_ticket",
    "update_package",
)


def capabilities(actor: Caller, facts: Facts, now: datetime) -> list[str]:
    """Operation ids in alphabetical order; empty for a viewer."""
    if actor.is_person and not actor.is_member:
        return []
    found = _by_state(actor, facts, now)
    if not actor.is_person:
        found = {one for one in found if SCOPE_OF[one] in actor.scopes}
    return sorted(found)


def _by_state(actor: Caller, facts: Facts, now: datetime) -> set[str]:
    state = facts.state_at(now)
    holds = facts.holder(now) == actor.id
    can = {"add_comment"}
    can |= set(_HOLDER) if holds else set()
    can |= _taking(actor, facts, state, holds)
    can |= _creator(actor, facts, state)
    if facts.incomplete and move_find("complete_package", state, facts.mode):
        is_theirs = actor.is_person or holds or facts.creator_id == actor.id
        can |= {"update_package"} if is_theirs else set()
    if not facts.is_closed and (actor.is_person or holds or facts.creator_id == actor.id):
        can |= {"block_ticket", "unblock_ticket"}
    if actor.is_person:
        can |= _member(facts, state)
    return can


def _taking(actor: Caller, facts: Facts, state: str, holds: bool) -> set[str]:
    if holds:
        return {"claim_ticket", "continue_task"}
    paused = facts.paused_at or facts.project_paused_at or actor.org_paused
    if paused or facts.reserved_for_id not in (None, actor.id):
        return set()
    can = set()
    if move_find("claim", state, facts.mode):
        can.add("claim_ticket")
    if move_find("continue", state, facts.mode):
        can.add("continue_task")
    return can


def _creator(actor: Caller, facts: Facts, state: str) -> set[str]:
    if facts.creator_id != actor.id:
        return set()
    can = set()
    if state == State.OPEN:
        can |= {"withdraw_ticket", "update_package"}
    if state in (State.OPEN, State.BLOCKER_RESOLVED) and not facts.is_closed:
        can.add("close_ticket")
    if move_find("reopen", state, facts.mode):
        can.add("reopen_ticket")
    return can


def _member(facts: Facts, state: str) -> set[str]:
    can = {"edit_ticket"}
    if not facts.is_closed:
        can |= {"close_ticket", "pause_ticket", "resume_ticket", "mark_criterion_met"}
    if move_find("reopen", state, facts.mode):
        can.add("reopen_ticket")
    if move_find("release", state, facts.mode):
        can.add("release_ticket")
    if state == State.NEEDS_HUMAN:
        can |= {"send_back", "take_over", "approve_ticket"}
    if state in IN_REVIEW and facts.waits_for != "checks":
        can.add("decide_verification")
    return can
