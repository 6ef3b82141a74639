"""A ticket in review and everybody around it, for tests of deciding."""

from typing import Any

from policy.models import Policy
from stuckbot.lib import ids
from stuckbot.lib.models import Event
from tests.support import Api, Desk, Reply, file_ticket, prove
from tickets.models import Ticket
from verification.models import Verification

COMMAND = {"description": "It builds", "method": "command", "command": "npm ci", "expected": "0"}
MANUAL = {"description": "It looks right", "method": "manual", "expected": "as drawn"}
CHECK = {
    "description": "It answers",
    "method": "external_check",
    "url": "https://a.example/",
    "expected": "200 OK",
}
TASK = [{"description": "It is built", "method": "command", "command": "make", "expected": "0"}]
COMMAND_OF = {"b1": "npm ci", "t1": "make"}
#: What a solver or a verifier may need; `verify` is asked for by name.
WORK = [
    *("tickets:create", "tickets:read_project", "tickets:claim", "tickets:update"),
    "evidence:submit",
]


def policy(desk: Desk, **columns: Any) -> None:
    """The org's policy from now on: `blocker`, `task` and whatever else."""
    Policy.objects.of(desk.org.id).delete()
    Policy.unscoped.create(org=desk.org, **columns)
    desk.org.policy_version += 1
    desk.org.save(update_fields=["policy_version"])


def proof(key: str = "b1", **payload: Any) -> dict[str, Any]:
    sent = {"command": COMMAND_OF[key], "exit_code": 0, **payload}
    return {"criterion": key, "type": "command_run", "payload": sent}


class Review:
    """One ticket that `solver` brings into review, in the blocker or the task stage."""

    def __init__(
        self,
        desk: Desk,
        creator: Api,
        solver: Api,
        *,
        stage: str = "blocker",
        criteria: list[dict[str, Any]] | None = None,
    ) -> None:
        self.desk, self.creator, self.solver, self.stage = desk, creator, solver, stage
        self.criteria = criteria or [COMMAND if stage == "blocker" else TASK[0]]
        stages = {"blocker_criteria": [COMMAND], "task_criteria": TASK}
        stages[f"{stage}_criteria"] = self.criteria
        self.ref = file_ticket(creator, mode="takeover_allowed", **stages)["ref"]
        self.path = f"/api/v1/tickets/{self.ref}"

    def begin(self, api: Api | None = None) -> None:
        """Claims it; with the blocker behind it, where the task is what counts."""
        by = api or self.solver
        if self.stage == "task" and not self.row.proven:
            by.post(f"{self.path}/claim").ok()
            prove(by, self.ref).ok(201)
            policy(self.desk, blocker="automatic", task="automatic")
            by.post(f"{self.path}/submit", {"stage": "blocker"}).ok()
        take = "continue" if self.stage == "task" else "claim"
        by.post(f"{self.path}/{take}").ok()

    @property
    def key(self) -> str:
        return f"{self.stage[0]}1"

    def submit(self, kind: str, api: Api | None = None, **more: Any) -> str:
        """Proves what is a command and submits under this policy; the job's id."""
        by = api or self.solver
        policy(self.desk, **{"blocker": kind, "task": kind, **more})
        by.post(f"{self.path}/evidence", proof(self.key)).ok(201)
        reply = by.post(f"{self.path}/submit", {"stage": self.stage})
        return str(reply.ok()["verification"]["id"])

    def review(self, kind: str, **more: Any) -> str:
        self.begin()
        return self.submit(kind, **more)

    @property
    def row(self) -> Ticket:
        return Ticket.objects.of(self.desk.org.id).get(number=int(self.ref[3:]))

    @property
    def job(self) -> Verification:
        jobs = Verification.objects.of(self.desk.org.id).filter(
            ticket__number=int(self.ref[3:]), stage=self.stage
        )
        return jobs.order_by("-id")[0]

    def events(self) -> list[Event]:
        events = Event.objects.of(self.desk.org.id).filter(ticket_id=self.row.id)
        return list(events.order_by("seq"))

    def told(self, since: int = 0) -> list[str]:
        return [one.type for one in self.events()][since:]


def claim(api: Api, job: str) -> Reply:
    return api.post(f"/api/v1/verifications/{job}/claim")


def decide(
    api: Api, job: str, decision: str = "approve", reason: str = "Seen", **more: Any
) -> Reply:
    body = {"decision": decision, "reason": reason, **more}
    return api.post(f"/api/v1/verifications/{job}/decision", body)


def agent_id(api: Api) -> str:
    return str(api.get("/api/v1/agents/me").ok()["agent"]["id"])


def nobody() -> str:
    return str(ids.uuid7())
