"""Tickets in every state, reached by the doors that lead there; by the row where none does yet."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from policy.models import Policy
from policy.states import Approval
from tests.support import Api, Desk, make_package, prove
from tickets.models import Claim, Ticket
from verification.models import Verification

TASK: dict[str, Any] = {
    "mode": "takeover_allowed",
    "task_criteria": [
        {"description": "The build passes", "method": "command", "command": "make", "expected": "0"}
    ],
}

#: A check that only a person can do.
LOOKS = {"description": "The pictures look right", "method": "manual", "expected": "yes"}


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is taken back, so that each cell of a matrix starts the same."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def approval(desk: Desk, kind: Approval | None) -> None:
    """Sets who must agree to both stages; None takes the rule away."""
    Policy.objects.of(desk.org.id).delete()
    if kind is not None:
        Policy.unscoped.create(org=desk.org, blocker=kind, task=kind)
    desk.org.policy_version += 1
    desk.org.save(update_fields=["policy_version"])


def package(mode: str) -> dict[str, Any]:
    if mode == "manual":
        return make_package(blocker_criteria=[*make_package()["blocker_criteria"], LOOKS])
    return make_package(**TASK) if mode == "takeover" else make_package()


class Scene:
    """One ticket with its creator and solver, brought from state to state."""

    def __init__(self, desk: Desk, creator: Api, solver: Api, mode: str) -> None:
        self.desk, self.creator, self.solver, self.mode = desk, creator, solver, mode
        body = {"package": package(mode)}
        self.ref = creator.post("/api/v1/tickets", body).ok(201)["ticket"]["ref"]
        self.path = f"/api/v1/tickets/{self.ref}"

    def reach(self, name: str) -> None:
        """Brings the ticket to a state such as `working`, `task_review.agent`, `needs_human`."""
        state, _, waits = name.partition(".")
        steps: dict[str, Callable[[], None]] = {
            "open": lambda: None,
            "claimed": self.claim,
            "working": self.work,
            "blocker_review": lambda: self.review("blocker", waits),
            "blocker_resolved": self.resolve,
            "continuing": self.continue_,
            "task_review": lambda: self.review("task", waits),
            "needs_human": lambda: self.escalate(waits),
            "completed": self.complete,
            "withdrawn": lambda: self.post(self.creator, "withdraw"),
            "closed": lambda: self.post(self.creator, "close"),
            "handed_off": self.hand_off,
        }
        steps[state]()
        assert self.row.state == state

    @property
    def row(self) -> Ticket:
        return Ticket.objects.of(self.desk.org.id).get(number=int(self.ref[3:]))

    @property
    def claim_row(self) -> Claim | None:
        return Claim.objects.of(self.desk.org.id).filter(ticket=self.row, ended_at=None).first()

    def post(self, api: Api, action: str, body: Any = None) -> None:
        api.post(f"{self.path}/{action}", body).ok()

    def claim(self) -> None:
        self.post(self.solver, "claim")

    def work(self) -> None:
        self.claim()
        self.solver.post(f"{self.path}/updates", {"body": "On it"}).ok(201)

    def prove(self, stage: str) -> None:
        sent = {"blocker": ("b1", "npm ci"), "task": ("t1", "make")}
        key, command = sent[stage]
        prove(self.solver, self.ref, key, command=command).ok(201)

    def resolve(self) -> None:
        self.claim()
        self.prove("blocker")
        self.post(self.solver, "submit", {"stage": "blocker"})

    def continue_(self) -> None:
        self.resolve()
        self.post(self.solver, "continue")

    def complete(self) -> None:
        self.continue_()
        self.prove("task")
        self.post(self.solver, "submit", {"stage": "task"})

    def escalate(self, stage: str) -> None:
        if stage == "task":
            self.continue_()
        else:
            self.work()
        self.post(self.solver, "escalate", {"reason": "A person must look"})

    def review(self, stage: str, waits: str) -> None:
        """`checks` is set by hand: nothing starts a check of an address yet."""
        if stage == "task":
            self.continue_()
        else:
            self.claim()
        self.prove(stage)
        approval(self.desk, Approval.AGENT if waits == "agent" else Approval.PERSON)
        self.post(self.solver, "submit", {"stage": stage})
        approval(self.desk, None)
        if waits == "checks":
            self.row_set(waits_for="checks", own_red=None)
            jobs = Verification.objects.of(self.desk.org.id).filter(ticket=self.row)
            jobs.filter(decided_at=None).update(state="waiting_checks")

    def hand_off(self) -> None:
        self.work()
        self.solver.post(f"{self.path}/handoff", {"package": package(self.mode)}).ok(201)

    def row_set(self, **columns: Any) -> None:
        Ticket.objects.of(self.desk.org.id).filter(id=self.row.id).update(**columns)
