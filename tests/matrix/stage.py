"""Everybody around one ticket, and what each action sends."""

from typing import Any, Final

from django.db.models import F, QuerySet

from stuckbot.lib import ids
from stuckbot.lib.models import Event, Inbox
from tests.matrix.scene import Scene, package
from tests.support import Desk, Reply
from tickets import states
from tickets.states import State
from verification.models import Verification

#: Scene and name of a state: a part after the dot where rows or scenes differ.
STATES: Final = (
    ("takeover", "open"),
    ("takeover", "claimed"),
    ("takeover", "working"),
    ("takeover", "blocker_review.checks"),
    ("takeover", "blocker_review.agent"),
    ("takeover", "blocker_review.person"),
    ("takeover", "blocker_resolved"),
    ("blocker_only", "blocker_resolved"),
    ("takeover", "continuing"),
    ("takeover", "task_review.checks"),
    ("takeover", "task_review.agent"),
    ("takeover", "task_review.person"),
    ("takeover", "needs_human.blocker"),
    ("takeover", "needs_human.task"),
    ("takeover", "completed"),
    ("takeover", "withdrawn"),
    ("takeover", "closed"),
    ("takeover", "handed_off"),
)
PROOF: Final = {"b1": "npm ci", "t1": "make"}
SUMMARY: Final = {"problem": "It stopped.", "impact": "Nothing runs.", "next_step": "Start it."}
ACTIONS: Final[dict[str, tuple[str, Any]]] = {
    "claim": ("claim", {}),
    "continue": ("continue", {}),
    "renew": ("claim/renew", None),
    "post_update": ("updates", {"body": "On it"}),
    "add_evidence": ("evidence", "proof"),
    "submit_blocker": ("submit", {"stage": "blocker"}),
    "submit_task": ("submit", {"stage": "task"}),
    "release": ("release", {}),
    "force_release": ("release", {"force": True, "note": "Too long"}),
    "escalate": ("escalate", {"reason": "Help"}),
    "update_package": ("package", "package"),
    "withdraw": ("withdraw", {}),
    "close": ("close", {}),
    "reopen": ("reopen", None),
    "pause": ("pause", {}),
    "resume": ("resume", None),
    "block": ("block", {"reason": "Wait for the key"}),
    "unblock": ("unblock", None),
    "comment": ("comments", {"body": "Seen"}),
    "send_back": ("send-back", {"note": "Again"}),
    "send_back_solver": ("send-back", {"note": "Again", "to_solver": True}),
    "take_over": ("take-over", None),
    "explain": ("", {"human_summary": SUMMARY}),
    "edit": ("", {"urgency": 9, "labels": ["ci"]}),
    "approve": ("approve", {"reason": "Fine"}),
    "handoff": ("handoff", "package"),
    "mark_met": ("criteria/b1/met", {"note": "Looks right"}),
    "claim_verification": ("job/claim", None),
    "decide_approve": ("job/decision", {"decision": "approve", "reason": "Fine"}),
    "decide_reject": ("job/decision", {"decision": "reject", "reason": "Not fine"}),
}


class Stage:
    """The cast around one ticket, and what an action did to it."""

    def __init__(self, desk: Desk, other: Desk, mode: str) -> None:
        self.callers = {
            "creator": desk.agent("stuck"),
            "solver": desk.agent("solver"),
            "agent": desk.agent("racer"),
            "member": desk.person("bob"),
            "viewer": desk.person("carol"),
            "verifier": desk.agent("verifier", scopes=["verify"]),
            "stranger": other.agent("foreign"),
        }
        self.scene = Scene(desk, self.callers["creator"], self.callers["solver"], mode)
        self.mode = mode

    def roles(self, name: str, state: str) -> set[str]:
        more = {
            "creator": {"creator", "agent"},
            "solver": {"solver", "agent"},
            "agent": {"agent"},
        }
        holds = name == "solver" and state in states.LEASED
        return more.get(name, {name}) | ({"holder"} if holds else set())

    def act(self, name: str, action: str) -> Reply:
        place, body = ACTIONS[action]
        if body == "package":
            body = {"package": package(self.mode)}
        elif body == "proof":
            criterion = "t1" if self.scene.row.state == State.CONTINUING else "b1"
            payload = {"command": PROOF[criterion], "exit_code": 0}
            body = {"criterion": criterion, "type": "command_run", "payload": payload}
        path = f"/api/v1/tickets/{self.scene.row.id}"
        if not place:
            sent = {**body, "version": self.scene.row.version}
            return self.callers[name].call("PATCH", path, sent)
        if place.startswith("job/"):
            path, place = f"/api/v1/verifications/{self.job_id()}", place.removeprefix("job/")
        path = f"{path}/{place}"
        return self.callers[name].post(path, body)

    def job_id(self) -> str:
        """The verification that waits, or one that is over; none that is there while there is none.

        Time stands still here, so ids do not tell which is newer.
        """
        jobs = Verification.objects.of(self.scene.desk.org.id).filter(ticket=self.scene.row)
        waiting_first = jobs.order_by(F("decided_at").asc(nulls_first=True))
        found = waiting_first.values_list("id", flat=True).first()
        return str(found or ids.uuid7())

    def events(self) -> list[str]:
        return list(self._events().values_list("type", flat=True))

    def woken(self, known: int) -> bool:
        """Whether somebody who acted after the first `known` events hears of any of them."""
        seqs, actors = zip(
            *self._events().values_list("seq", "actor_id")[known:] or [(0, None)], strict=True
        )
        heard = Inbox.objects.of(self.scene.desk.org.id)
        return heard.filter(seq__in=seqs, actor_id__in=actors).exists()

    def _events(self) -> QuerySet[Event]:
        events = Event.objects.of(self.scene.desk.org.id).filter(ticket_id=self.scene.row.id)
        return events.order_by("seq")
