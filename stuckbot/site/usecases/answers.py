"""The answers that stand on a ticket: what each stage's solver said, how it was closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from accounts.models import Actor
from tickets.answers import Answer, answer_of, answer_read
from tickets.cards import Card
from tickets.facts import Facts
from tickets.states import State
from verification.models import Verification
from verification.states import WAITING, VerificationState

APPROVED: Final = "approved"
SUBMITTED: Final = "submitted"
CLOSED: Final = "closed"


@dataclass(frozen=True, slots=True)
class Standing:
    """An answer that stands. `state`: `approved`; `submitted`, which somebody has yet to judge;
    or `closed`, said on closing the ticket, by whom its events tell."""

    stage: str | None
    state: str
    by: Actor | None
    at: datetime
    assurance: str
    said: Answer


def answers_standing(card: Card, jobs: Sequence[Verification]) -> list[Standing]:
    """Of each stage at most one, the blocker's first; what was rejected or taken back is none.

    `jobs` are the ticket's, oldest first, with their answers.
    """
    facts = card.facts
    chosen = (_job(facts, jobs, stage) for stage in ("blocker", "task"))
    found = [_standing(job) for job in chosen if job is not None and job.answer is not None]
    closing = _closing(card)
    return [*found, closing] if closing is not None else found


def _job(facts: Facts, jobs: Sequence[Verification], stage: str) -> Verification | None:
    """The stage's approval that stands, else the submission that waits for one."""
    mine = [job for job in jobs if job.stage == stage]
    if _is_through(facts, stage):
        approved = [job for job in mine if job.state == VerificationState.APPROVED]
        return approved[-1] if approved else None
    waiting = [job for job in mine if job.state in WAITING]
    return waiting[-1] if waiting else None


def _is_through(facts: Facts, stage: str) -> bool:
    return facts.proven if stage == "blocker" else facts.state == State.COMPLETED


def _standing(job: Verification) -> Standing:
    assert job.answer is not None
    is_approved = job.state == VerificationState.APPROVED
    return Standing(
        stage=job.stage,
        state=APPROVED if is_approved else SUBMITTED,
        by=job.submitted_by,
        at=(job.decided_at if is_approved else None) or job.submitted_at,
        assurance=job.assurance,
        said=answer_read(job.answer.bytes, job.answer.key_id),
    )


def _closing(card: Card) -> Standing | None:
    """Whoever closed the ticket said how it ended."""
    facts, said = card.facts, card.resolution
    if facts.state != State.CLOSED or facts.closed_at is None or not _is_closing(said):
        return None
    return Standing(None, CLOSED, None, facts.closed_at, facts.assurance, answer_of(said))


def _is_closing(said: dict[str, Any] | None) -> bool:
    return said is not None and set(said) == {"outcome"}
