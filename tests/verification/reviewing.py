"""A stage that waits for a verifier, and a verifier with a key of its own."""

import json
from dataclasses import dataclass, field
from typing import Any

from accounts.selectors import caller_of_membership
from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from tests.matrix.scene import approval
from tests.support import Api, Desk, Reply, file_ticket, prove
from tests.verification.signed import PASSED, Signer
from verification.models import VerifierKey
from verification.services.keys import key_add, key_revoke

VERIFIER = ("verify", "tickets:read_project")
CRITERIA = [
    {
        "description": "A clean install works",
        "method": "command",
        "command": "npm ci",
        "expected": "0",
    },
    {
        "description": "It is linted",
        "method": "command",
        "command": "npm run lint",
        "expected": "0",
    },
]
LINTED = {"command": "npm run lint", "exit_code": 0}


@dataclass
class Review:
    """A ticket in review under the policy that another agent checks, taken by `verifier`."""

    desk: Desk
    criteria: list[dict[str, Any]] = field(default_factory=lambda: CRITERIA[:1])
    signer: Signer = field(default_factory=Signer)
    add_key: bool = True

    def __post_init__(self) -> None:
        approval(self.desk, Approval.AGENT)
        self.solver = self.desk.agent("solver")
        self.verifier = self.desk.agent("verifier", scopes=list(VERIFIER))
        filed = file_ticket(self.desk.agent("stuck"), blocker_criteria=self.criteria)
        self.ref, self.ticket_id = filed["ref"], filed["id"]
        self.solver.post(f"/api/v1/tickets/{self.ref}/claim").ok()
        if self.add_key:
            self.key_add()
        self.submit()

    def submit(self) -> None:
        for place, one in enumerate(self.criteria, start=1):
            prove(self.solver, self.ref, f"b{place}", command=one["command"]).ok(201)
        path = f"/api/v1/tickets/{self.ref}/submit"
        self.job_id = self.solver.post(path, {"stage": "blocker"}).ok()["verification"]["id"]
        self.verifier.post(f"/api/v1/verifications/{self.job_id}/claim").ok()

    @property
    def owner(self) -> Caller:
        return caller_of_membership(next(iter(self.desk.people.values())))

    def key_add(self, signer: Signer | None = None) -> VerifierKey:
        pem = (signer or self.signer).pem
        return key_add(actor=self.owner, name="CI", pem=pem, now=clock.now())

    def key_revoke(self) -> None:
        key_revoke(actor=self.owner, fingerprint=self.signer.fingerprint, now=clock.now())

    def statement(self, **changes: Any) -> bytes:
        said: dict[str, Any] = {
            "v": 1,
            "verification_id": self.job_id,
            "ticket_id": self.ticket_id,
            "criterion_key": "b1",
            "stage": "blocker",
            "type": "command_run",
            "payload": PASSED,
            "signed_at": clock.wire(clock.now()),
        }
        return json.dumps(said | changes).encode()

    def item(self, raw: bytes | None = None, criterion: str = "b1", **more: Any) -> dict[str, Any]:
        signed = self.signer.attest(raw if raw is not None else self.statement())
        return {"criterion": criterion, "type": "command_run", "attestation": signed, **more}

    def decide(self, *evidence: dict[str, Any], decision: str = "approve") -> Reply:
        body = {"decision": decision, "reason": "I ran it", "evidence": list(evidence)}
        return self.verifier.post(f"/api/v1/verifications/{self.job_id}/decision", body)

    @property
    def ticket(self) -> Any:
        return self.solver.get(f"/api/v1/tickets/{self.ref}").ok()["ticket"]

    @property
    def reader(self) -> Api:
        return self.desk.person("carol")


def paths(reply: Reply) -> set[str]:
    """What a 422 names."""
    assert (reply.status, reply.code) == (422, "invalid_request"), reply.response.content
    return {one["path"] for one in reply.details["fields"]}
