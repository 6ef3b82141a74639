"""Verification jobs over the wire. Verifiers see what waits for them and cannot decide yet."""

from typing import Any, NoReturn

from accounts.selectors import scope_require
from stuckbot.lib import ids, paging
from stuckbot.lib.clock import wire, wire_or_none
from stuckbot.lib.errors import Conflict, Missing
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call, plain
from stuckbot.site.api.operations import operation
from verification.models import Verification
from verification.selectors import verification_get, verifications_for

JOB = shapes.record(
    {
        "id": shapes.UUID,
        "ticket_id": shapes.UUID,
        "ticket_ref": shapes.PLAIN,
        "stage": shapes.PLAIN,
        "state": shapes.PLAIN,
        "submitted_at": shapes.TIME,
        "claim": shapes.nullable(
            shapes.record({"holder": shapes.ref("Actor"), "expires_at": shapes.TIME})
        ),
    }
)
DECIDED_EVIDENCE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["criterion", "type"],
    "properties": {
        "criterion": shapes.text(40),
        "type": shapes.text(40),
        "payload": {"type": "object"},
        "attestation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["key", "statement", "signature"],
            "properties": {
                "key": shapes.text(64),
                "statement": shapes.text(65_536),
                "signature": shapes.text(128),
            },
        },
    },
}


@operation(
    "list_verifications",
    "GET",
    "/verifications",
    query={"limit": "1 to 100, 50 when left out"},
    scope="verify",
    answer=shapes.record({"verifications": shapes.listed(JOB)}),
)
def list_verifications(call: Call) -> Answer:
    """Verification jobs the calling agent may take now, and those it holds; oldest first."""
    if call.actor.is_agent:
        scope_require(call.actor, "verify")
    limit = paging.limit_parse(call.query("limit"))
    jobs = verifications_for(actor=call.actor, now=call.now, limit=limit)
    return plain({"verifications": [_job(call, job) for job in jobs]})


def _job(call: Call, job: Verification) -> dict[str, Any]:
    claim = None
    if job.claimed_by is not None and job.claim_until is not None and job.claim_until > call.now:
        claim = {"holder": render.by(job.claimed_by), "expires_at": wire_or_none(job.claim_until)}
    return {
        "id": str(job.id),
        "ticket_id": str(job.ticket_id),
        "ticket_ref": f"SB-{job.ticket.number}",
        "stage": job.stage,
        "state": job.state,
        "submitted_at": wire(job.submitted_at),
        "claim": claim,
    }


@operation(
    "claim_verification",
    "POST",
    "/verifications/{id}/claim",
    scope="verify",
    conflicts_kept=False,
    answer=shapes.record({"verification": shapes.ref("Verification")}),
)
def claim_verification(call: Call) -> NoReturn:
    """Hold a verification job while checking its evidence anew."""
    _refuse(call)


@operation(
    "decide_verification",
    "POST",
    "/verifications/{id}/decision",
    body=shapes.body(
        {
            "decision": {"enum": ["approve", "reject"]},
            "reason": shapes.text(shapes.NOTE),
            "evidence": {"type": "array", "items": DECIDED_EVIDENCE, "maxItems": 100},
        },
        "decision",
        "reason",
    ),
    scope="verify",
    answer=shapes.record(
        {"verification": shapes.ref("Verification"), "ticket": shapes.ref("TicketSummary")}
    ),
)
def decide_verification(call: Call) -> NoReturn:
    """Approve or reject a verification job, with evidence of one's own if there is any."""
    _refuse(call)


def _refuse(call: Call) -> NoReturn:
    scope_require(call.actor, "verify")
    job_id = ids.parse_uuid(call.ref)
    if job_id is None:
        raise Missing
    job = verification_get(actor=call.actor, job_id=job_id)
    raise Conflict(
        "This desk takes no decisions on verifications yet. A member can close the ticket.",
        details={"state": job.state, "allowed": []},
    )
