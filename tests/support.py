"""A fixed cast and plain helpers for the tests.

alice owns the org, bob is a member, carol a viewer; `stuck` files tickets, `solver` and `racer`
take them; mallory is of another org.
"""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from accounts.models import Connector, Membership, Org, User
from accounts.services.orgs import (
    connector_make,
    enrollment_secret_make,
    member_add,
    org_make,
    person_token_make,
    system_caller,
)
from accounts.states import SCOPES, Role
from stuckbot.lib import clock
from tests.truth import answer_check

_keys = itertools.count()


@dataclass
class Api:
    """Calls the API by literal paths, as one bearer; each answer must be as documented."""

    token: str
    client: Client = field(default_factory=Client)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> "Reply":
        sent: dict[str, Any] = {"HTTP_AUTHORIZATION": f"Bearer {self.token}"} if self.token else {}
        names = {"content_type", "raw"}
        sent |= {
            f"HTTP_{name.upper()}": value for name, value in headers.items() if name not in names
        }
        data = headers.get("raw", None if body is None else json.dumps(body))
        kind = headers.get("content_type", "application/json")
        response = self.client.generic(method, path, data or "", kind, **sent)
        answer_check(method, path, response)
        return Reply(response)

    def get(self, path: str, **headers: str) -> "Reply":
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> "Reply":
        return self.call("POST", path, body, **headers)


@dataclass
class Reply:
    response: Any

    @property
    def status(self) -> int:
        return int(self.response.status_code)

    @property
    def json(self) -> Any:
        return json.loads(self.response.content)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])

    @property
    def details(self) -> Any:
        return self.json["error"].get("details", {})

    def header(self, name: str) -> str | None:
        return self.response.headers.get(name)  # type: ignore[no-any-return]

    def ok(self, status: int = 200) -> Any:
        assert self.status == status, (self.status, self.response.content[:2000])
        return self.json


@dataclass
class Desk:
    """An org with its people, its connector and agents on demand."""

    org: Org
    connector: Connector
    enrollment_secret: str
    people: dict[str, Membership]

    def agent(self, name: str = "agent", **registration: Any) -> Api:
        reply = Api(self.enrollment_secret).post(
            "/api/v1/agents/register", {"name": name, **registration}
        )
        return Api(reply.ok(201)["token"])

    def person(self, name: str) -> Api:
        fresh = person_token_make(membership=self.people[name], name="test", now=clock.now())
        return Api(fresh.text)


def make_desk(name: str, people: dict[str, Role], like: Desk | None = None) -> Desk:
    """An org with these people: new ones, or those of another desk."""
    now = clock.now()
    org = org_make(name=name, now=now)
    members = {}
    for person, role in people.items():
        if like is None:
            user = User.objects.create_user(f"{person}@{name.lower()}.example", "correct horse")
        else:
            user = like.people[person].user
        members[person] = member_add(org=org, user=user, role=role, now=now)
    first = next(iter(members.values()))
    connector = connector_make(
        org=org, name="Agents", scopes=SCOPES, set_up_by=first.actor, now=now
    )
    secret = enrollment_secret_make(actor=system_caller(org.id), connector=connector, now=now)
    return Desk(org, connector, secret.text, members)


def make_package(**changes: Any) -> dict[str, Any]:
    """A plain package with one command criterion; a change of None leaves the field out."""
    package: dict[str, Any] = {
        "title": "The image service cannot be built",
        "human_summary": {
            "problem": "The build is missing Python.",
            "impact": "Nothing can be tested.",
            "next_step": "Add the build tools and build again.",
        },
        "objective": "Ship the image service",
        "stuck_reason": "npm ci fails: find Python",
        "completed": ["The unit tests pass"],
        "remaining": ["Build the image"],
        "attempts": [{"what": "npm ci --ignore-scripts", "result": "fails at run time"}],
        "next_steps": ["Add python3"],
        "blocker_criteria": [
            {
                "description": "A clean install works",
                "method": "command",
                "command": "npm ci",
                "expected": "exits 0",
            }
        ],
        "mode": "blocker_only",
    }
    package |= changes
    return {name: value for name, value in package.items() if value is not None}


TAKEOVER = {
    "mode": "takeover_allowed",
    "task_criteria": [
        {"description": "The tests pass", "method": "test_suite", "expected": "none fail"}
    ],
}


def file_ticket(api: Api, **changes: Any) -> dict[str, Any]:
    """Files a ticket and returns its detail."""
    body = {"package": make_package(**changes)}
    return api.post("/api/v1/tickets", body).ok(201)["ticket"]  # type: ignore[no-any-return]


def prove(api: Api, ref: str, criterion: str = "b1", **payload: Any) -> Reply:
    """Evidence for a command criterion, passing unless the payload says otherwise."""
    sent = {"command": "npm ci", "exit_code": 0, **payload}
    body = {"criterion": criterion, "type": "command_run", "payload": sent}
    return api.post(f"/api/v1/tickets/{ref}/evidence", body)


def resolve(api: Api, ref: str, **answer: Any) -> dict[str, Any]:
    """Claims, proves and submits the blocker, with an answer (`outcome`, `resolution`) or none."""
    api.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    prove(api, ref).ok(201)
    reply = api.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker", **answer})
    return reply.ok()["ticket"]  # type: ignore[no-any-return]


def fresh_key() -> str:
    return f"key-{next(_keys)}"
