"""Plays the stories in the order in which things happened, each act through its service."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from accounts.services.orgs import system_caller
from stuckbot.lib.caller import Caller
from stuckbot.site.demo.cast import Cast
from stuckbot.site.demo.script import Act, Check, Story
from stuckbot.site.demo.verifier import signed
from stuckbot.site.usecases.close import ticket_close
from stuckbot.site.usecases.decide import (
    APPROVE,
    REJECT,
    DecidedEvidence,
    Decision,
    verification_decide,
)
from stuckbot.site.usecases.submit import Submission, stage_submit
from tickets.selectors import facts_get
from tickets.services import claims, closing, notes
from tickets.services.create import ticket_create
from verification.models import Verification
from verification.payloads import EVIDENCE_TYPE_OF_METHOD
from verification.selectors import verification_waiting
from verification.services.deciding import job_claim
from verification.services.evidence import Sent, evidence_add


@dataclass(slots=True)
class Scene:
    """One act at its time: who does it, to which ticket, with which words."""

    actor: Caller
    ref: str
    text: str
    now: datetime
    checks: tuple[Check, ...]
    cast: Cast

    @property
    def job(self) -> Verification:
        """What waits for a decision."""
        facts = facts_get(actor=self.actor, ref=self.ref)
        job = verification_waiting(facts.id, facts.org_id)
        if job is None:
            raise LookupError(f"Nothing of {self.ref} waits for a decision.")
        return job

    @property
    def at(self) -> dict[str, Any]:
        return {"actor": self.actor, "ref": self.ref, "now": self.now}


def play(cast: Cast, stories: list[Story], now: datetime) -> None:
    """Files every ticket and does what followed, oldest first, as if it happened then."""
    plan = [
        (now - timedelta(hours=story.hours) + timedelta(minutes=act.minute), place, act)
        for place, story in enumerate(stories)
        for act in (Act(0, story.by, "file"), *story.acts)
    ]
    refs: dict[int, str] = {}
    for at, place, act in sorted(plan, key=lambda step: step[:2]):
        story = stories[place]
        if act.what == "file":
            refs[place] = _file(cast, story, at)
            continue
        actor = system_caller(cast.org.id) if act.who == "desk" else cast.callers[act.who]
        ACTS[act.what](Scene(actor, refs[place], act.text, at, story.checks, cast))


def _file(cast: Cast, story: Story, now: datetime) -> str:
    filed = ticket_create(
        actor=cast.callers[story.by],
        package=story.package,
        project_id=cast.projects[story.project].id,
        now=now,
    )
    cast.note("ticket", filed.ticket.id)
    return f"SB-{filed.ticket.number}"


def _claim(scene: Scene) -> None:
    claims.ticket_claim(wish=_wish(scene), **scene.at)


def _continue(scene: Scene) -> None:
    claims.task_continue(wish=_wish(scene), **scene.at)


def _wish(scene: Scene) -> claims.ClaimWish:
    """The text of a claim is how many minutes it asks for."""
    return claims.ClaimWish(lease_minutes=int(scene.text) if scene.text else None)


def _renew(scene: Scene) -> None:
    claims.claim_renew(**scene.at)


def _expire(scene: Scene) -> None:
    facts = facts_get(actor=scene.actor, ref=scene.ref)
    if not claims.lease_expire(system=scene.actor, facts=facts, now=scene.now):
        raise LookupError(f"The lease on {scene.ref} had not run out.")


def _update(scene: Scene) -> None:
    notes.update_post(body=scene.text, **scene.at)


def _comment(scene: Scene) -> None:
    notes.comment_add(body=scene.text, **scene.at)


def _prove(scene: Scene) -> None:
    _evidence(scene, "b", passes=True)


def _prove_task(scene: Scene) -> None:
    _evidence(scene, "t", passes=True)


def _fail(scene: Scene) -> None:
    _evidence(scene, "b", passes=False)


def _evidence(scene: Scene, stage: str, *, passes: bool) -> None:
    for check in scene.checks:
        if check.key.startswith(stage):
            payload = _payload(check, scene, passes)
            sent = Sent(check.key, EVIDENCE_TYPE_OF_METHOD[check.method], payload)
            evidence_add(sent=sent, **scene.at)


def _payload(check: Check, scene: Scene, passes: bool) -> dict[str, Any]:
    shown = scene.text or check.shows
    match check.method:
        case "command":
            code = 0 if passes else 1
            return {"command": check.reported, "exit_code": code, "output_excerpt": shown}
        case "test_suite":
            counts = {"passed": 214, "failed": 0} if passes else {"passed": 211, "failed": 3}
            return {"runner": check.reported or "pytest", **counts, "summary": shown}
        case "log_match":
            return {"pattern": check.reported, "excerpt": shown}
        case "artifact":
            return {"path": shown}
    return {"note": shown}


def _submit(scene: Scene) -> None:
    stage_submit(submission=Submission("blocker", scene.text or None), **scene.at)


def _submit_task(scene: Scene) -> None:
    stage_submit(submission=Submission("task", scene.text or None), **scene.at)


def _decide(scene: Scene, decision: str, *evidence: DecidedEvidence) -> None:
    verification_decide(
        actor=scene.actor,
        job_id=scene.job.id,
        decision=Decision(decision, scene.text, evidence),
        now=scene.now,
    )


def _approve(scene: Scene) -> None:
    _decide(scene, APPROVE)


def _agree(scene: Scene) -> None:
    job_claim(actor=scene.actor, job_id=scene.job.id, now=scene.now)
    _decide(scene, APPROVE)


def _sign(scene: Scene) -> None:
    """As a verifier with a key does: each result is signed by itself."""
    job = scene.job
    job_claim(actor=scene.actor, job_id=job.id, now=scene.now)
    results = []
    for check in (one for one in scene.checks if one.key.startswith(job.stage[0])):
        payload = _payload(check, replace(scene, text=""), True)
        kind = EVIDENCE_TYPE_OF_METHOD[check.method]
        attestation = signed(scene.cast, job, check.key, kind, payload, scene.now)
        results.append(DecidedEvidence(check.key, kind, attestation=attestation))
    _decide(scene, APPROVE, *results)


def _release(scene: Scene) -> None:
    claims.ticket_release(note=scene.text, **scene.at)


def _end_lease(scene: Scene) -> None:
    claims.ticket_release(note=scene.text, force=True, **scene.at)


def _send_back(scene: Scene) -> None:
    closing.ticket_send_back(note=scene.text, **scene.at)


def _hand_back(scene: Scene) -> None:
    closing.ticket_send_back(note=scene.text, to_solver=True, **scene.at)


def _close(scene: Scene) -> None:
    ticket_close(outcome=scene.text, **scene.at)


ACTS: Final[dict[str, Callable[[Scene], object]]] = {
    "claim": _claim,
    "continue": _continue,
    "renew": _renew,
    "expire": _expire,
    "update": _update,
    "comment": _comment,
    "prove": _prove,
    "prove_task": _prove_task,
    "fail": _fail,
    "submit": _submit,
    "submit_task": _submit_task,
    "release": _release,
    "end_lease": _end_lease,
    "escalate": lambda scene: closing.ticket_escalate(reason=scene.text, **scene.at),
    "withdraw": lambda scene: closing.ticket_withdraw(reason=scene.text, **scene.at),
    "close": _close,
    "reopen": lambda scene: closing.ticket_reopen(**scene.at),
    "pause": lambda scene: closing.ticket_pause(reason=scene.text, **scene.at),
    "resume": lambda scene: closing.ticket_resume(**scene.at),
    "block": lambda scene: closing.ticket_block(reason=scene.text, **scene.at),
    "unblock": lambda scene: closing.ticket_unblock(**scene.at),
    "send_back": _send_back,
    "hand_back": _hand_back,
    "approve": _approve,
    "reject": lambda scene: _decide(scene, REJECT),
    "agree": _agree,
    "sign": _sign,
    "take_over": lambda scene: closing.ticket_take_over(**scene.at),
}
