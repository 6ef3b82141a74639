"""Requests made from the API document as it is served, by every kind of caller, at a desk with
something on it."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import requests
from django.test import Client
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode
from schemathesis.openapi import from_dict
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.services.orgs import direct_key_make, system_caller
from accounts.states import SCOPES, Role
from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.site.api.answers import takes_key
from stuckbot.site.api.operations import Operation
from tests.matrix.scene import Scene, approval
from tests.support import TAKEOVER, Api, Desk, make_desk, make_package
from verification.models import Verification

PLACE: Final = "/api/v1/openapi.json"
#: What is drawn at random may also be too long to be read at all.
_TOO_LONG: Final = 413
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
#: By how a request is made: as described, or with something in it that the document rules out.
MODES: Final = {
    GenerationMode.POSITIVE: CHECKS,
    GenerationMode.NEGATIVE: [*CHECKS, negative_data_rejection],
}


@cache
def described() -> Any:
    """The operations of the document as it is served, but for who may call them: tests say that
    with a bearer of their own."""
    served = Client().get(PLACE).json()
    for methods in served["paths"].values():
        for one in methods.values():
            del one["security"]
    return from_dict(served)


@cache
def operation(name: str) -> Any:
    return described().find_operation_by_id(name)


def modes(chosen: Operation) -> list[GenerationMode]:
    """How requests of the operation can be made: what takes nothing cannot be asked wrongly."""
    takes = chosen.body is not None or chosen.query or takes_key(chosen)
    return list(MODES) if takes else [GenerationMode.POSITIVE]


@dataclass
class Cast:
    """Bearers by what they are, and ids that an address may name."""

    bearers: dict[str, str] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)


def cast_make(desk: Desk) -> Cast:
    """A desk with tickets in several states, a job that waits, and callers of every kind."""
    now, org = clock.now(), desk.org
    other = make_desk("Elsewhere", {"mallory": Role.OWNER})
    creator, solver = desk.agent("creator"), desk.agent("solver")
    reviewed = _in_review(desk, creator, solver)
    scenes = [Scene(desk, creator, solver, mode) for mode in ("blocker", "takeover", "takeover")]
    for scene, state in zip(scenes[1:], ("claimed", "blocker_resolved"), strict=True):
        scene.reach(state)
    direct = direct_key_make(
        actor=system_caller(org.id), org=org, name="direct", scopes=SCOPES, now=now
    )
    bearers = {
        "nobody": "",
        "half a token": creator.token[:20],
        "enrollment": desk.enrollment_secret,
        "creator": creator.token,
        "solver": solver.token,
        "reader": desk.agent("reader", scopes=["tickets:read_project"]).token,
        "verifier": desk.agent("verifier", scopes=["verify"]).token,
        "direct key": direct.text,
        "owner": desk.person("alice").token,
        "viewer": desk.person("carol").token,
        "stranger": other.agent("stranger").token,
    }
    me = creator.get("/api/v1/agents/me").ok()["agent"]["id"]
    known = [str(reviewed), str(org.default_project_id), me, *(one.ref for one in scenes)]
    return Cast(bearers, [*known, "SB-999999", "b1", "main"])


def _in_review(desk: Desk, creator: Api, solver: Api) -> Any:
    approval(desk, Approval.AGENT)
    Scene(desk, creator, solver, "blocker").reach("blocker_review")
    approval(desk, None)
    return Verification.objects.of(desk.org.id).get().id


def packages() -> st.SearchStrategy[dict[str, Any]]:
    """Whole packages, and some that lack a part."""
    whole = [make_package(), make_package(**TAKEOVER), make_package(labels=["ci"], urgency=9)]
    lacking = st.sampled_from(sorted(whole[0])).map(lambda name: make_package(**{name: None}))
    return st.one_of(st.sampled_from(whole), lacking)


@dataclass
class Made:
    """A request as it was made, and the bearer that sends it."""

    case: Any
    mode: GenerationMode
    token: str

    def send(self) -> None:
        """Sends it and holds the answer against the document."""
        sent = self._prepared()
        kind = sent.headers.get("Content-Type", "")
        found = Client(raise_request_exception=False).generic(
            str(sent.method), sent.path_url, sent.body or b"", kind, headers=dict(sent.headers)
        )
        headers = {name: [value] for name, value in found.headers.items()}
        answer = Response(found.status_code, headers, found.content, sent, 0.0, verify=False)
        is_fine = self._asks_as_described(sent) or found.status_code == _TOO_LONG
        self.case.validate_response(answer, checks=CHECKS if is_fine else MODES[self.mode])

    def _asks_as_described(self, sent: requests.PreparedRequest) -> bool:
        """Whether nothing but a query was meant to be wrong, and it reads well once it is sent: an
        empty list leaves nothing behind, and every number is also a text."""
        if sent.body:
            return False
        known = {
            one["name"]: one["schema"]
            for one in self.case.operation.definition.raw.get("parameters", ())
            if one.get("in") == "query"
        }
        asked = parse_qsl(urlsplit(str(sent.url)).query, keep_blank_values=True)
        return bool(asked) and all(
            name in known and (not value or _reads(value, known[name])) for name, value in asked
        )

    def _prepared(self) -> requests.PreparedRequest:
        made = self.case.as_transport_kwargs(base_url="http://localhost")
        wanted = ("method", "url", "params", "headers", "data", "json")
        request = requests.Request(**{name: made[name] for name in wanted if name in made})
        if self.token:
            request.headers["Authorization"] = f"Bearer {self.token}"
        return request.prepare()


def _reads(value: str, schema: dict[str, Any]) -> bool:
    """Whether a text of a query is what the schema describes."""
    if schema.get("type") == "array":
        return all(_reads(part.strip(), schema["items"]) for part in value.split(","))
    if schema.get("type") == "integer":
        return value.isascii() and value.isdigit() and _valid(int(value[:30]), schema)
    return _valid(value, schema)


def _valid(value: Any, schema: dict[str, Any]) -> bool:
    checked = Draft202012Validator(schema, format_checker=FormatChecker())
    return bool(checked.is_valid(value))


@st.composite
def cases(draw: Any, name: str, mode: GenerationMode, cast: Cast) -> Made:
    """A request of one operation; most name something that is there, most packages are whole."""
    case = draw(operation(name).as_strategy(generation_mode=mode))
    places = case.path_parameters
    if places and draw(st.integers(0, 3)):
        case.path_parameters = dict.fromkeys(places, draw(st.sampled_from(cast.targets)))
    positive = mode is GenerationMode.POSITIVE
    if positive and isinstance(case.body, dict) and "package" in case.body:
        case.body["package"] = draw(packages())
    return Made(case, mode, cast.bearers[draw(st.sampled_from(sorted(cast.bearers)))])
