"""The state machine as the tests have it: a copy of its own of every row.

The first row that fits an action by somebody on a ticket in a state wins. What no row allows is
409 `invalid_transition`.
"""

from typing import Final, NamedTuple


class Row(NamedTuple):
    """`to`: the state it ends in, `same`, or the refusal. `lease`: what becomes of the lease."""

    states: str
    action: str
    by: str
    to: str
    lease: str = "-"
    events: str = ""


LEASED: Final = "claimed working continuing"
IN_REVIEW: Final = "blocker_review task_review"
NOT_CLOSED: Final = (
    "open claimed working blocker_review blocker_resolved.takeover continuing task_review"
    " needs_human"
)
CLOSED: Final = "completed withdrawn closed handed_off blocker_resolved.blocker_only"
HOLDING: Final = (
    "renew post_update add_evidence submit_blocker submit_task release escalate handoff"
    " update_package"
)

REVIEWING: Final = "claim_verification decide_approve decide_reject"
#: Where no stage was submitted yet, so that there is no job.
UNSUBMITTED: Final = "open claimed working needs_human.blocker withdrawn closed handed_off"

ROWS: Final[tuple[Row, ...]] = (
    # An agent needs the scope for what verifiers do, and a verifier has no other.
    Row("any", REVIEWING, "creator solver agent stranger", "403 insufficient_scope"),
    # Whoever may not act at all hears so first.
    Row("any", "any", "stranger", "404 not_found"),
    Row("any", "any", "viewer", "403 not_eligible"),
    # Reviews: jobs by their own state; a person takes none.
    Row(UNSUBMITTED, REVIEWING, "verifier member", "404 not_found"),
    Row(
        "blocker_review.agent task_review.agent",
        "claim_verification",
        "verifier",
        "same",
        "-",
        "verification_claimed",
    ),
    Row("any", "claim_verification", "member", "403 not_eligible"),
    *(
        Row(f"{stage}_review.{waits}", f"decide_{decision}", by, to, lease, event)
        for waits, by in (("agent", "verifier member"), ("person", "member"))
        for stage, decision, to, lease, event in (
            ("blocker", "approve", "blocker_resolved", "end", "stage_approved"),
            ("blocker", "reject", "working", "start", "stage_rejected"),
            ("task", "approve", "completed", "end", "stage_approved"),
            ("task", "reject", "continuing", "start", "stage_rejected"),
        )
    ),
    Row("any", REVIEWING, "verifier member", "409 invalid_transition"),
    Row("any", "any", "verifier", "403 insufficient_scope"),
    # What a person says of a stage: nothing here is proved, and no criterion is manual.
    Row("needs_human", "approve", "member", "422 invalid_request"),
    Row("any", "approve", "member", "409 invalid_transition"),
    Row(NOT_CLOSED, "mark_met", "member", "422 invalid_request"),
    Row("any", "mark_met", "member", "409 invalid_transition"),
    Row("any", "approve mark_met", "anyone", "403 not_eligible"),
    # Taking and holding.
    Row("open", "claim", "agent member", "claimed", "start", "ticket_claimed"),
    Row(LEASED, "claim continue", "holder", "same", "restart"),
    Row(LEASED, "claim continue", "anyone", "409 already_claimed"),
    Row("blocker_resolved.takeover", "continue", "anyone", "continuing", "start", "task_continued"),
    Row("claimed", "post_update", "holder", "working", "keep", "update_posted"),
    Row("claimed", "add_evidence", "holder", "working", "keep", "evidence_added"),
    Row("working continuing", "post_update", "holder", "same", "keep", "update_posted"),
    Row("working continuing", "add_evidence", "holder", "same", "keep", "evidence_added"),
    Row(LEASED, "renew", "holder", "same", "extend"),
    Row(f"{IN_REVIEW} needs_human", "renew", "solver", "409 state_changed"),
    Row("handed_off", "renew", "solver", "409 state_changed"),
    Row("completed", "renew", "solver", "409 state_changed"),
    Row("blocker_resolved.blocker_only", "renew", "solver", "409 state_changed"),
    Row("blocker_resolved.takeover", "renew", "solver", "409 state_changed"),
    Row("claimed working", "release", "holder", "open", "end", "ticket_released"),
    Row("continuing", "release", "holder", "blocker_resolved", "end", "ticket_released"),
    Row("claimed working", "force_release", "holder member", "open", "end", "ticket_released"),
    Row(
        "continuing", "force_release", "holder member", "blocker_resolved", "end", "ticket_released"
    ),
    # Submitting, under the automatic policy with everything proved.
    Row(
        "claimed working",
        "submit_blocker",
        "holder",
        "blocker_resolved",
        "end",
        "stage_submitted stage_approved",
    ),
    Row("claimed working", "submit_task", "holder", "409 invalid_transition"),
    Row("continuing", "submit_blocker", "holder", "409 invalid_transition"),
    Row(
        "continuing", "submit_task", "holder", "completed", "end", "stage_submitted stage_approved"
    ),
    Row(LEASED, "escalate", "holder", "needs_human", "end", "needs_human"),
    Row(LEASED, "handoff", "holder", "handed_off", "end", "ticket_handed_off"),
    Row(LEASED, "update_package", "holder", "same", "keep", "package_updated"),
    Row("open", "update_package", "creator", "same", "-", "package_updated"),
    Row(
        IN_REVIEW,
        "post_update add_evidence submit_blocker submit_task release force_release escalate"
        " handoff update_package",
        "solver",
        "409 invalid_transition",
    ),
    # Changing the package is no act of a holder while nobody holds the ticket.
    Row(f"{CLOSED} {IN_REVIEW} needs_human", "update_package", "anyone", "409 invalid_transition"),
    Row("blocker_resolved.takeover", "update_package", "anyone", "409 invalid_transition"),
    Row("any", f"{HOLDING} force_release", "anyone", "409 not_claim_holder"),
    # Leaving the path, and the ways back.
    Row("open", "withdraw", "creator", "withdrawn", "-", "ticket_withdrawn"),
    Row("any", "withdraw", "creator", "409 invalid_transition"),
    Row("any", "withdraw", "anyone", "403 not_eligible"),
    Row(NOT_CLOSED, "close", "member", "closed", "end", "ticket_closed"),
    Row("open blocker_resolved.takeover", "close", "creator", "closed", "end", "ticket_closed"),
    Row("any", "close", "creator member", "409 invalid_transition"),
    Row("any", "close", "anyone", "403 not_eligible"),
    Row("handed_off", "reopen", "creator member", "409 invalid_transition"),
    Row("completed", "reopen", "creator member", "blocker_resolved", "-", "ticket_reopened"),
    Row(CLOSED, "reopen", "creator member", "open", "-", "ticket_reopened"),
    Row("any", "reopen", "creator member", "409 invalid_transition"),
    Row("any", "reopen", "anyone", "403 not_eligible"),
    Row("needs_human.task", "send_back", "member", "blocker_resolved", "-", "ticket_sent_back"),
    Row("needs_human", "send_back", "member", "open", "-", "ticket_sent_back"),
    Row(
        "needs_human.task", "send_back_solver", "member", "continuing", "start", "ticket_sent_back"
    ),
    Row("needs_human", "send_back_solver", "member", "working", "start", "ticket_sent_back"),
    Row("needs_human.task", "take_over", "member", "continuing", "start", "ticket_claimed"),
    Row("needs_human", "take_over", "member", "claimed", "start", "ticket_claimed"),
    Row("any", "send_back send_back_solver take_over", "member", "409 invalid_transition"),
    Row(NOT_CLOSED, "pause", "member", "same", "keep", "ticket_paused"),
    Row(NOT_CLOSED, "resume", "member", "same", "keep", "ticket_resumed"),
    Row("any", "pause resume", "member", "409 invalid_transition"),
    Row("any", "pause resume send_back send_back_solver take_over", "anyone", "403 not_eligible"),
    Row(NOT_CLOSED, "block", "creator holder member", "same", "keep", "ticket_blocked"),
    Row(NOT_CLOSED, "unblock", "creator holder member", "same", "keep", "ticket_unblocked"),
    Row("any", "block unblock", "creator member", "409 invalid_transition"),
    Row("any", "block unblock", "anyone", "403 not_eligible"),
    Row("any", "explain", "member", "same", "keep", "explanation_edited"),
    Row(NOT_CLOSED, "edit", "member", "same", "keep", "ticket_edited"),
    Row("any", "edit", "member", "409 invalid_transition"),
    Row("any", "edit explain", "anyone", "403 not_eligible"),
    Row("any", "comment", "anyone", "same", "keep", "comment_added"),
)


def row_for(state: str, action: str, roles: set[str]) -> Row | None:
    """`state` as `blocker_resolved.takeover`: a row that names no part after the dot fits any."""
    for row in ROWS:
        names = row.states.split()
        fits = "any" in names or state in names or state.partition(".")[0] in names
        if not fits or not ({action, "any"} & set(row.action.split())):
            continue
        if "anyone" in row.by.split() or roles & set(row.by.split()):
            return row
    return None


#: Rows whose doors are not there yet, as the table must hold them: action, from, to, lease, event.
LATER: Final = (
    ("review_approve", "blocker_review", "blocker_resolved", "end", "stage_approved"),
    ("review_approve", "task_review", "completed", "end", "stage_approved"),
    ("review_reject", "blocker_review", "working", "restart", "stage_rejected"),
    ("review_reject", "task_review", "continuing", "restart", "stage_rejected"),
    ("review_reject_free", "blocker_review", "open", "end", "stage_rejected"),
    ("review_reject_free", "task_review", "blocker_resolved", "end", "stage_rejected"),
    ("review_give_up", "blocker_review", "needs_human", "end", "needs_human"),
    ("review_give_up", "task_review", "needs_human", "end", "needs_human"),
    ("submit_review", "claimed", "blocker_review", "suspend", "stage_submitted"),
    ("submit_review", "working", "blocker_review", "suspend", "stage_submitted"),
    ("submit_review", "continuing", "task_review", "suspend", "stage_submitted"),
    ("human_approve", "needs_human", "blocker_resolved", "-", "stage_approved"),
    ("human_approve_task", "needs_human", "completed", "-", "stage_approved"),
    ("expire", "claimed", "open", "end", "claim_expired"),
    ("expire", "working", "open", "end", "claim_expired"),
    ("expire", "continuing", "blocker_resolved", "end", "claim_expired"),
)
