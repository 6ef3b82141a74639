"""Tickets as answers show them, read inside the write in hand."""

from typing import Any
from uuid import UUID

from stuckbot.site.api import render
from stuckbot.site.api.call import Call
from stuckbot.site.usecases.answers import answers_standing
from stuckbot.site.usecases.detail import Detail, changes_of
from tickets.chains import Chain, chain_seen
from tickets.facts import Facts
from tickets.selectors import card_of
from verification.models import Verification
from verification.selectors import verification_shown


def summary_of(call: Call, ticket_id: UUID) -> dict[str, Any]:
    """The summary as it stands inside the write in hand."""
    card = card_of(ticket_id, call.actor.org_id)
    return render.summary(card, call.now, org_paused=call.actor.org_paused)


def answer_summary(call: Call, facts: Facts) -> dict[str, Any]:
    return {"ticket": summary_of(call, facts.id)}


def job_of(call: Call, job: Verification, facts: Facts) -> dict[str, Any]:
    """A job as it stands inside the write in hand."""
    row = verification_shown(job.id, job.org_id)
    return render.verification(row, facts, call.now, changes_of([row]).get(row.id, ()))


def job_and_ticket(call: Call, job: Verification) -> dict[str, Any]:
    card = card_of(job.ticket_id, call.actor.org_id)
    summary = render.summary(card, call.now, org_paused=call.actor.org_paused)
    return {"ticket": summary, "verification": job_of(call, job, card.facts)}


def detail_of(call: Call, detail: Detail) -> dict[str, Any]:
    """The detail's shape; what comes from parts that are not there yet is truly empty."""
    card, now = detail.card, call.now
    facts = card.facts
    summary = render.summary(card, now, org_paused=call.actor.org_paused)
    notes_shown = {
        kind: [render.note(one) for one in detail.notes if one.kind == kind]
        for kind in ("update", "comment")
    }
    return {
        **summary,
        "content": {
            **summary["content"],
            "package": detail.package,
            "blocked_reason": card.blocked_reason,
        },
        "criteria": [
            render.criterion(one, detail.counts, facts.keeps_bar) for one in detail.criteria
        ],
        "evidence": [render.evidence(one, detail.counts) for one in detail.evidence],
        "verifications": [
            render.verification(one, facts, now, detail.changes.get(one.id, ()))
            for one in detail.verifications
        ],
        "updates": notes_shown["update"],
        "comments": notes_shown["comment"],
        "attachments": [],
        "dependencies": [],
        "dependents": [],
        "latest_report": None,
        "asks": [],
        "decisions": [],
        "findings": [render.finding(one) for one in detail.findings],
        "warnings": [render.warning(one) for one in detail.warnings],
        "package_version": facts.package_n,
        "missing_fields": facts.missing_fields,
        "resolution": render.answers(answers_standing(card, detail.verifications)),
        "private_data": {"strict_privacy": False},
        **_chain_shown(call, detail),
        "handover": [render.left(one) for one in detail.handover],
        "you": render.you(call.actor, facts, now),
    }


def _chain_shown(call: Call, detail: Detail) -> dict[str, Any]:
    chain = chain_seen(call.actor, detail.chain) if detail.chain else Chain([detail.card], 0)
    paused = call.actor.org_paused
    return {
        "chain": [render.chained(one, call.now, org_paused=paused) for one in chain.cards],
        "chain_more": chain.more,
    }
