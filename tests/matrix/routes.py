"""The permission table: every route and what each kind of caller hears.

A cell is the status of the answer, with the code where it is a refusal. `needs` are the scopes
without which an agent hears 403 `insufficient_scope`. `as_` says what the caller in our org is to
the ticket: it filed it (`creator`), it holds it (`holder`), or nothing.
"""

from dataclasses import dataclass, field
from typing import Any

COLUMNS = (
    "nobody",
    "half token",
    "enrollment secret",
    "another org's agent",
    "another org's person",
    "viewer",
    "member",
    "admin",
    "owner",
    "agent with every scope",
)
NO = "401 invalid_token"
GONE = "404 not_found"
ROLE = "403 not_eligible"
SCOPE = "403 insufficient_scope"
LATER = "409 invalid_transition"
FAULTY = "422 invalid_request"

CREATE, READ, CLAIM = "tickets:create", "tickets:read_project", "tickets:claim"
UPDATE, PROVE = "tickets:update", "evidence:submit"
HANDOFF, SIGNAL, VERIFY = "handoff:create", "signals:report", "verify"


@dataclass(frozen=True)
class Route:
    cells: tuple[str, ...]
    needs: tuple[str, ...] = ()
    state: str = "open"
    as_: str = ""
    body: dict[str, Any] = field(default_factory=dict)


PUBLIC = ("200",) * 10
#: Calls of an agent about itself: another org's agent asks about itself too.
SELF = (NO, NO, NO, "200", NO, NO, NO, NO, NO, "200")
#: A ticket, for members and agents with the scope.
ACT = (NO, NO, NO, GONE, GONE, ROLE, "200", "200", "200", "200")
ADD = (NO, NO, NO, GONE, GONE, ROLE, "201", "201", "201", "201")
#: A ticket or project, for members alone.
MEMBERS = (NO, NO, NO, GONE, GONE, ROLE, "200", "200", "200", ROLE)

#: What the desk does not do yet, of a ticket or a verification.
NOT_YET = (NO, NO, NO, GONE, GONE, ROLE, LATER, LATER, LATER, LATER)

READING = (NO, NO, NO, GONE, GONE, "200", "200", "200", "200", "200")
LISTING = (NO, NO, NO, "200", "200", "200", "200", "200", "200", "200")

ROUTES: dict[str, Route] = {
    "GET ": Route(PUBLIC),
    "GET /openapi.json": Route(PUBLIC),
    "GET //schemas/handoff-package-1.json": Route(PUBLIC),
    "POST /agents/register": Route((NO, NO, "201", NO, NO, NO, NO, NO, NO, NO)),
    "POST /agents/me/token": Route(SELF),
    "POST /agents/me/heartbeat": Route(SELF),
    "GET /agents/me": Route(SELF),
    "GET /agents/me/signals": Route(SELF),
    "POST /agents/me/retire": Route(SELF),
    "POST /agents/{id}/requests": Route(
        (NO, NO, NO, GONE, GONE, ROLE, "201", "201", "201", ROLE), body={"kind": "handoff"}
    ),
    "DELETE /agents/{id}/requests": Route(MEMBERS),
    "POST /tickets": Route(ADD, (CREATE,), body={"package": "package", "project_id": "project"}),
    "POST /packages/check": Route(
        (NO, NO, NO, "200", "200", ROLE, "200", "200", "200", "200"),
        (CREATE,),
        body={"package": "package"},
    ),
    "GET /tickets": Route(LISTING),
    "GET /work": Route(LISTING, (READ,)),
    "GET /tickets/{id}": Route(READING, (READ,)),
    "PATCH /tickets/{id}": Route(MEMBERS, (READ,), body={"version": 1, "urgency": 9}),
    "GET /tickets/{id}/events": Route(READING, (READ,)),
    "POST /tickets/{id}/comments": Route(ADD, (READ,), body={"body": "Hello"}),
    "POST /tickets/{id}/claim": Route(ACT, (CLAIM, READ)),
    "POST /tickets/{id}/continue": Route(ACT, (CLAIM, READ), state="blocker_resolved"),
    "POST /tickets/{id}/claim/renew": Route(ACT, (CLAIM,), state="claimed", as_="holder"),
    "POST /tickets/{id}/release": Route(ACT, (CLAIM,), state="claimed", as_="holder"),
    "POST /tickets/{id}/updates": Route(
        ADD, (UPDATE,), state="claimed", as_="holder", body={"body": "On it"}
    ),
    "POST /tickets/{id}/evidence": Route(
        ADD,
        (PROVE,),
        state="claimed",
        as_="holder",
        body={
            "criterion": "b1",
            "type": "command_run",
            "payload": {"command": "npm ci", "exit_code": 0},
        },
    ),
    "POST /tickets/{id}/submit": Route(
        ACT, (PROVE,), state="proven", as_="holder", body={"stage": "blocker"}
    ),
    "POST /tickets/{id}/escalate": Route(
        ACT, (UPDATE,), state="claimed", as_="holder", body={"reason": "Help"}
    ),
    "POST /tickets/{id}/package": Route(ACT, (UPDATE,), as_="creator", body={"package": "package"}),
    "POST /tickets/{id}/withdraw": Route(ACT, (CREATE,), as_="creator"),
    "POST /tickets/{id}/close": Route(ACT, (UPDATE,), as_="creator"),
    "POST /tickets/{id}/reopen": Route(ACT, (UPDATE,), state="closed", as_="creator"),
    "POST /tickets/{id}/block": Route(ACT, (UPDATE,), as_="creator", body={"reason": "Wait"}),
    "POST /tickets/{id}/unblock": Route(ACT, (UPDATE,), as_="creator"),
    "POST /tickets/{id}/pause": Route(MEMBERS, (READ,)),
    "POST /tickets/{id}/resume": Route(MEMBERS, (READ,)),
    "POST /tickets/{id}/send-back": Route(
        MEMBERS, (READ,), state="needs_human", body={"note": "Again"}
    ),
    "POST /tickets/{id}/take-over": Route(MEMBERS, (READ,), state="needs_human"),
    "POST /tickets/{id}/approve": Route(
        MEMBERS, (READ,), state="escalated", body={"reason": "Good enough"}
    ),
    # Its criterion is none that a person marks.
    "POST /tickets/{id}/criteria/{key}/met": Route(
        (NO, NO, NO, GONE, GONE, ROLE, FAULTY, FAULTY, FAULTY, ROLE), (READ,), body={"note": "Fine"}
    ),
    "POST /tickets/{id}/attachments": Route(NOT_YET, (READ,)),
    "GET /attachments/{id}": Route((NO, NO, NO, GONE, GONE, GONE, GONE, GONE, GONE, GONE), (READ,)),
    "POST /tickets/{id}/handoff": Route(
        ADD, (HANDOFF,), state="claimed", as_="holder", body={"package": "package"}
    ),
    "POST /tickets/{id}/access-requests": Route(NOT_YET, (READ,), body={"what": "The log"}),
    "GET /tickets/{id}/context": Route(READING, (READ,)),
    "POST /tickets/{id}/data-grants": Route(NOT_YET, (READ,)),
    # Any one of three scopes will do, so leaving one out changes nothing.
    "GET /data-stores": Route(LISTING),
    "POST /data-stores/{name}/upload-grants": Route(
        (NO, NO, NO, LATER, LATER, ROLE, LATER, LATER, LATER, LATER)
    ),
    "POST /signals": Route(
        (NO, NO, NO, "201", NO, NO, NO, NO, NO, "201"), (SIGNAL,), body={"type": "self_report"}
    ),
    "GET /verifications": Route(LISTING, (VERIFY,)),
    # People decide without taking a job.
    "POST /verifications/{id}/claim": Route(
        (NO, NO, NO, GONE, GONE, ROLE, ROLE, ROLE, ROLE, "200"),
        (VERIFY,),
        state="blocker_review.agent",
    ),
    "POST /verifications/{id}/decision": Route(
        ACT,
        (VERIFY,),
        state="blocker_review.agent",
        body={"decision": "approve", "reason": "It works"},
    ),
    # Nothing was decided, so nothing is signed; whoever reads the ticket hears that.
    "GET /verifications/{id}/attestation": Route(
        (NO, NO, NO, GONE, GONE, LATER, LATER, LATER, LATER, LATER),
        (READ,),
        state="blocker_review.agent",
    ),
    "GET //.well-known/stuckbot-desk-keys.json": Route(PUBLIC),
    "POST /projects/{id}/pause": Route(MEMBERS),
    "POST /projects/{id}/resume": Route(MEMBERS),
    # There is no id to look for: another org's owner pauses its own.
    "POST /org/pause": Route((NO, NO, NO, ROLE, "200", ROLE, "200", "200", "200", ROLE)),
    "POST /org/resume": Route((NO, NO, NO, ROLE, "200", ROLE, "200", "200", "200", ROLE)),
}
