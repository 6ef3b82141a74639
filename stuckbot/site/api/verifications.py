"""Verification jobs over the wire: verifiers list, claim and decide, members decide."""

from typing import Any
from uuid import UUID

from accounts.selectors import scope_require
from stuckbot.lib import ids, paging
from stuckbot.lib.clock import wire
from stuckbot.lib.errors import Missing
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call, done, plain
from stuckbot.site.api.operations import operation
from stuckbot.site.api.shown import job_and_ticket, job_of
from stuckbot.site.usecases.decide import DecidedEvidence, Decision, verification_decide
from tickets.selectors import card_of
from verification.models import Verification
from verification.selectors import verifications_for
from verification.services.deciding import job_claim
from verification.statements import STATEMENT_MOST

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
                "statement": shapes.text(STATEMENT_MOST),
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
    return {
        "id": str(job.id),
        "ticket_id": str(job.ticket_id),
        "ticket_ref": f"SB-{job.ticket.number}",
        "stage": job.stage,
        "state": job.state,
        "submitted_at": wire(job.submitted_at),
        "claim": render.hold(job, call.now),
    }


@operation(
    "claim_verification",
    "POST",
    "/verifications/{id}/claim",
    scope="verify",
    conflicts_kept=False,
    answer=shapes.record({"verification": shapes.ref("Verification")}),
)
def claim_verification(call: Call) -> Answer:
    """Hold a verification job for 15 minutes while checking its evidence anew."""
    keep = call.keep(lambda job: {"verification": _held(call, job)})
    job_claim(actor=call.actor, job_id=_job_id(call), now=call.now, keep=keep)
    return done(keep)


def _held(call: Call, job: Verification) -> dict[str, Any]:
    return job_of(call, job, card_of(job.ticket_id, job.org_id).facts)


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
def decide_verification(call: Call) -> Answer:
    """Approve or reject a verification job, with evidence of one's own if there is any."""
    decision = Decision(
        decision=call.body["decision"],
        reason=call.body["reason"],
        evidence=tuple(
            DecidedEvidence(
                criterion=one["criterion"],
                type=one["type"],
                payload=one.get("payload"),
                attestation=one.get("attestation"),
            )
            for one in call.body.get("evidence", ())
        ),
    )
    keep = call.keep(lambda job: job_and_ticket(call, job))
    job_id = _job_id(call)
    verification_decide(actor=call.actor, job_id=job_id, decision=decision, now=call.now, keep=keep)
    return done(keep)


def _job_id(call: Call) -> UUID:
    """Whoever may not act at all hears so first."""
    scope_require(call.actor, "verify")
    job_id = ids.parse_uuid(call.ref)
    if job_id is None:
        raise Missing
    return job_id
