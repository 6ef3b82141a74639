"""Random JSON at every POST: whatever comes, a refusal of the table or a good answer."""

from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stuckbot.site.api import urls
from stuckbot.site.api.operations import OPERATIONS
from tests.api.refusals import CODES
from tests.matrix.scene import undone
from tests.support import Api, Desk, file_ticket, make_package

assert urls.MODULES
POSTS = sorted(path for path, method in OPERATIONS if method == "POST")
FIELDS = sorted(
    {
        name
        for one in OPERATIONS.values()
        if one.body is not None
        for name in one.body.schema["properties"]
    }
    | set(make_package())
    | {"command", "exit_code", "url", "passed", "failed", "runner", "excerpt", "note", "sha256"}
)
#: Text with what breaks stores and parsers more often than chance would.
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["", " ", "\x00", "\ud800", "SB-1", "SB-0", "b1", "blocker", "command_run", "é"]
    ),
    st.text(st.characters(), min_size=1, max_size=4).map(lambda text: text * 700),
)
NUMBERS = st.one_of(
    st.integers(),
    st.sampled_from([2**63, -(2**63) - 1, 2**31, 10**400, 0, -1]),
    st.floats(allow_nan=False, allow_infinity=False),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(FIELDS), TEXTS), inner, max_size=4),
    ),
    max_leaves=12,
)
BODIES = st.dictionaries(st.one_of(st.sampled_from(FIELDS), TEXTS), VALUES, max_size=6)


def _near(body: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A good body with one field changed for anything."""
    return st.tuples(st.sampled_from(sorted(body)), VALUES).map(lambda one: body | {one[0]: one[1]})


GOOD: dict[str, dict[str, Any]] = {
    "/agents/register": {"name": "x", "labels": {}, "scopes": [], "project_ids": []},
    "/agents/me/heartbeat": {"status": "x", "usage": {"tokens": 1}, "tickets": ["SB-1"]},
    "/tickets/{id}/evidence": {
        "criterion": "b1",
        "type": "command_run",
        "payload": {"command": "npm ci", "exit_code": 0},
    },
    "/tickets/{id}/updates": {"body": "x", "progress": {}},
    "/tickets/{id}/claim": {"execution_target": "external", "lease_minutes": 5},
    "/signals": {"type": "budget", "details": {}, "usage": {"tokens": 1}, "project_id": "x"},
    "/tickets/{id}/access-requests": {"what": "x", "reason": "x"},
    "/tickets/{id}/data-grants": {"objects": ["sha256:0"]},
    "/verifications/{id}/decision": {
        "decision": "approve",
        "reason": "x",
        "evidence": [{"criterion": "b1", "type": "command_run", "payload": {}}],
    },
    "/tickets/{id}/submit": {"stage": "blocker", "outcome": "x", "resolution": {}},
}
PACKAGED = ("/tickets", "/packages/check", "/tickets/{id}/package", "/tickets/{id}/handoff")
PACKAGES = st.one_of(_near(make_package()), BODIES)


def _bodies(path: str) -> st.SearchStrategy[Any]:
    if path in PACKAGED:
        return st.one_of(PACKAGES.map(lambda package: {"package": package}), BODIES)
    return st.one_of(_near(GOOD[path]), BODIES) if path in GOOD else BODIES


@pytest.mark.parametrize("path", POSTS)
def test_it_never_breaks(
    path: str, desk: Desk, stuck: Api, solver: Api, alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.conf.settings.RATE_LIMIT", None)
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    bearer = solver
    if path == "/agents/register":
        bearer = Api(desk.enrollment_secret)
    elif path.startswith(("/org", "/projects")) or path.endswith(("/send-back", "/take-over")):
        bearer = alice
    target = str(desk.org.default_project_id) if path.startswith("/projects") else "SB-1"
    caller = Api(bearer.token, Client(raise_request_exception=False))

    @settings(
        max_examples=25,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(body=_bodies(path))
    def send(body: Any) -> None:
        with undone():
            reply = caller.post(
                f"/api/v1{path.replace('{id}', target).replace('{name}', 'main')}", body
            )
            if reply.status >= 400:
                assert reply.code in CODES[reply.status]
            assert reply.status < 500, reply.json

    send()
