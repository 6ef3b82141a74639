"""What may happen to a ticket, read from the rules of the desk and not from its code.

Each line: an event, who may cause it, from which states to which, and what becomes of the lease.
`keep` changes no state. A line with several targets leaves the choice to the facts.
"""

from typing import Final, NamedTuple

BLOCKER: Final = "claimed working"
LEASED: Final = "claimed working continuing"
REVIEW: Final = "blocker_review task_review"
CLOSED: Final = "completed withdrawn handed_off closed resolved"
NOT_CLOSED: Final = f"open {LEASED} {REVIEW} blocker_resolved needs_human"
ANY: Final = f"{NOT_CLOSED} {CLOSED}"


class Rule(NamedTuple):
    """`resolved` is `blocker_resolved` of a ticket that ends there."""

    event: str
    by: str
    states: str
    to: str = "keep"
    lease: str = "keep"


RULES: Final = (
    Rule("ticket_created", "anyone", "(none)", "open"),
    Rule("ticket_claimed", "agent member", "open", "claimed", "start"),
    Rule("ticket_claimed", "member", "needs_human", "claimed continuing", "start"),
    Rule("task_continued", "agent member", "blocker_resolved", "continuing", "start"),
    Rule("update_posted", "holder", "claimed", "working"),
    Rule("update_posted", "holder", "working continuing"),
    Rule("evidence_added", "holder", "claimed", "working"),
    Rule("evidence_added", "holder", "working continuing"),
    Rule("claim_ending", "desk", LEASED),
    Rule("claim_expired", "desk", BLOCKER, "open", "end"),
    Rule("claim_expired", "desk", "continuing", "blocker_resolved", "end"),
    Rule("ticket_released", "holder member desk", BLOCKER, "open", "end"),
    Rule("ticket_released", "holder member desk", "continuing", "blocker_resolved", "end"),
    Rule("stage_submitted", "holder", BLOCKER, "blocker_review blocker_resolved resolved", "end"),
    Rule("stage_submitted", "holder", "continuing", "task_review completed", "end"),
    # Told beside the submit that it follows from.
    Rule("stage_approved", "desk", "blocker_resolved resolved completed"),
    Rule("stage_approved", "verifier member desk", "blocker_review", "blocker_resolved resolved"),
    Rule("stage_approved", "verifier member desk", "task_review", "completed"),
    Rule("stage_approved", "member", "needs_human", "blocker_resolved resolved completed"),
    Rule("stage_rejected", "verifier member desk", "blocker_review", "working open", "begin"),
    Rule(
        "stage_rejected",
        "verifier member desk",
        "task_review",
        "continuing blocker_resolved",
        "begin",
    ),
    # Rejected once too often: told beside the move to a person.
    Rule("stage_rejected", "verifier member desk", REVIEW),
    Rule("needs_human", "verifier member desk", REVIEW, "needs_human"),
    Rule("needs_human", "holder", LEASED, "needs_human", "end"),
    Rule("verification_claimed", "verifier", REVIEW),
    Rule("verification_passed_on", "verifier desk", REVIEW),
    Rule("checks_finished", "desk", REVIEW),
    Rule("ticket_handed_off", "holder", LEASED, "handed_off", "end"),
    Rule("ticket_withdrawn", "creator", "open", "withdrawn"),
    Rule("ticket_closed", "member", NOT_CLOSED, "closed", "end"),
    Rule("ticket_closed", "creator", "open blocker_resolved", "closed"),
    Rule(
        "ticket_reopened",
        "creator member",
        "closed completed withdrawn resolved",
        "open blocker_resolved",
    ),
    Rule(
        "ticket_sent_back",
        "member",
        "needs_human",
        "open blocker_resolved working continuing",
        "begin",
    ),
    Rule("ticket_paused", "member", NOT_CLOSED),
    Rule("ticket_resumed", "member", NOT_CLOSED),
    Rule("ticket_blocked", "creator holder member", NOT_CLOSED),
    Rule("ticket_unblocked", "creator holder member", NOT_CLOSED),
    Rule("ticket_edited", "member", NOT_CLOSED),
    Rule("explanation_edited", "member", ANY),
    Rule("criterion_met", "member", NOT_CLOSED),
    Rule("package_updated", "creator", "open"),
    Rule("package_updated", "holder", LEASED),
    # One that lacks fields may be completed by those around it, in any state but a closed one.
    Rule("package_updated", "creator holder member", f"incomplete {NOT_CLOSED}"),
    Rule("package_completed", "creator holder member", f"incomplete {NOT_CLOSED}"),
    Rule("comment_added", "anyone", ANY),
    Rule("agent_retired", "solver member", REVIEW),
    Rule("signal_raised", "anyone", f"(none) {ANY}"),
    # Whom it was kept for is gone: told by whoever or whatever made it go.
    Rule("reservation_dropped", "desk member kept", NOT_CLOSED),
    Rule("handoff_requested", "desk member", ANY),
    Rule("stop_requested", "desk member", ANY),
    Rule("request_acknowledged", "anyone", ANY),
    Rule("loop_suspected", "desk", ANY),
)

#: What an event must come right after, on the same ticket, when it has no move of its own.
FOLLOWS: Final = {
    ("stage_approved", "keep"): "stage_submitted",
    ("needs_human", REVIEW): "stage_rejected",
}


def rule_for(event: str, state: str, to: str, roles: set[str], incomplete: bool) -> Rule | None:
    """The first line that fits; `to` is where the ticket went, or `keep`."""
    for rule in RULES:
        states = set(rule.states.split())
        fits = event == rule.event and state in states and to in rule.to.split()
        if fits and "incomplete" in states:
            fits = incomplete
        if fits and ("anyone" in rule.by.split() or roles & set(rule.by.split())):
            return rule
    return None
