"""Route × caller → status and code. A route that is not in the table fails."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Actor, User
from accounts.services.orgs import member_add
from accounts.states import SCOPES, Role
from stuckbot.lib import clock, ids
from stuckbot.site.api import urls
from stuckbot.site.api.operations import OPERATIONS
from tests.matrix.routes import COLUMNS, ROUTES, SCOPE, Route
from tests.matrix.scene import Scene, package, undone
from tests.support import Api, Desk, Reply
from tickets.models import Claim, Ticket
from verification.models import Verification


class Cast:
    """Everybody of the table, as bearers; an agent more for each scope that is left out."""

    def __init__(self, desk: Desk, other: Desk) -> None:
        now = clock.now()
        user = User.objects.create_user("dora@acme.example", "correct horse")
        desk.people["dora"] = member_add(org=desk.org, user=user, role=Role.ADMIN, now=now)
        self.desk = desk
        full = desk.agent("full", scopes=list(SCOPES))
        self.callers: dict[str, Api] = {
            "nobody": Api(""),
            "half token": Api(full.token[:30]),
            "enrollment secret": Api(desk.enrollment_secret),
            "another org's agent": other.agent("foreign", scopes=list(SCOPES)),
            "another org's person": other.person("mallory"),
            "viewer": desk.person("carol"),
            "member": desk.person("bob"),
            "admin": desk.person("dora"),
            "owner": desk.person("alice"),
            "agent with every scope": full,
        }
        for scope in SCOPES:
            kept = [one for one in SCOPES if one != scope]
            self.callers[f"agent without {scope}"] = desk.agent(f"no {scope}"[:80], scopes=kept)
        self.scenes: dict[str, Scene] = {}

    def actor(self, name: str) -> Actor | None:
        """The caller's actor in our org; none for strangers."""
        people = {"viewer": "carol", "member": "bob", "admin": "dora", "owner": "alice"}
        if name in people:
            return self.desk.people[people[name]].actor
        known = {"agent with every scope": "full"}
        known |= {f"agent without {scope}": f"no {scope}" for scope in SCOPES}
        actors = Actor.objects.of(self.desk.org.id)
        return actors.filter(kind="agent", name=known.get(name, "")).first()

    def scene(self, state: str) -> Scene:
        creator, solver = self.desk.agent("stuck"), self.desk.agent("solver")
        scene = Scene(self.desk, creator, solver, "takeover")
        proven = state in ("proven", "escalated")
        scene.reach("claimed" if proven else state)
        if proven:
            scene.prove("blocker")
        if state == "escalated":
            scene.post(solver, "escalate", {"reason": "Look at it"})
        return scene

    def cast_as(self, name: str, route: Route, scene: Scene) -> None:
        """Makes the caller the ticket's creator or holder, where it is of our org."""
        actor = self.actor(name)
        if actor is None or not route.as_:
            return
        tickets = Ticket.objects.of(self.desk.org.id).filter(id=scene.row.id)
        if route.as_ == "creator":
            tickets.update(creator=actor)
        else:
            tickets.update(solver=actor)
            Claim.objects.of(self.desk.org.id).filter(ticket=scene.row).update(actor=actor)


@pytest.fixture
def cast(desk: Desk, other: Desk) -> Cast:
    return Cast(desk, other)


def _filled(body: dict[str, Any], cast: Cast) -> dict[str, Any]:
    values = {
        "package": package("takeover"),
        "project": str(cast.desk.org.default_project_id),
    }
    return {
        key: values.get(value, value) if isinstance(value, str) else value
        for key, value in body.items()
    }


def _address(name: str, target: str) -> tuple[str, str]:
    method, _, place = name.partition(" ")
    path = place[1:] if place.startswith("//") else f"/api/v1{place}"
    return method, path.replace("{id}", target).replace("{name}", "main").replace("{key}", "b1")


def _call(cast: Cast, caller: str, name: str, target: str) -> Reply:
    method, path = _address(name, target)
    body = None if method == "GET" else _filled(ROUTES[name].body, cast)
    return cast.callers[caller].call(method, path, body)


def _heard(reply: Reply) -> str:
    return str(reply.status) if reply.status < 400 else f"{reply.status} {reply.code}"


def _expected(route: Route) -> Iterator[tuple[str, str]]:
    yield from zip(COLUMNS, route.cells, strict=True)
    for scope in SCOPES:
        yield f"agent without {scope}", SCOPE if scope in route.needs else route.cells[-1]


def test_it_lists_every_route() -> None:
    assert urls.MODULES
    assert {f"{method} {path}" for path, method in OPERATIONS} == set(ROUTES)


def _target(cast: Cast, name: str) -> tuple[str, Scene | None]:
    """The id in the path: a ticket in the state the route wants, its verification, an agent, or
    the org's project."""
    if "/agents/{id}" in name:
        return cast.desk.agent("asked").get("/api/v1/agents/me").ok()["agent"]["id"], None
    if "/tickets/{id}" not in name and "/verifications/{id}" not in name:
        return str(cast.desk.org.default_project_id), None
    scene = cast.scene(ROUTES[name].state)
    if "/verifications/{id}" in name:
        job = Verification.objects.of(cast.desk.org.id).get(ticket=scene.row)
        return str(job.id), scene
    return str(scene.row.id), scene


def _row(cast: Cast, name: str) -> dict[str, str]:
    """What each caller of the table hears from one route."""
    route, heard = ROUTES[name], {}
    target, scene = _target(cast, name)
    for caller, _ in _expected(route):
        with undone():
            if scene is not None:
                cast.cast_as(caller, route, scene)
            heard[caller] = _heard(_call(cast, caller, name, target))
    return heard


def test_it_lets_in_whom_the_table_says(cast: Cast, settings: Any) -> None:
    settings.RATE_LIMIT = None
    wrong = []
    for name, route in ROUTES.items():
        with undone():
            heard = _row(cast, name)
        wrong += [
            f"{name} by {caller}: {heard[caller]}, not {cell}"
            for caller, cell in _expected(route)
            if heard[caller] != cell
        ]
    assert wrong == []


def test_it_says_the_same_of_a_strangers_thing_as_of_none(cast: Cast, settings: Any) -> None:
    settings.RATE_LIMIT = None
    for name in [name for name in ROUTES if "{id}" in name]:
        with undone():
            real, _ = _target(cast, name)
            for caller in ("another org's agent", "another org's person"):
                targets = (real, real.upper(), str(ids.uuid7()), "no-id", "SB-7", "SB-0")
                answers = {_words(_call(cast, caller, name, target)) for target in targets}
                assert len(answers) == 1
                assert answers.pop().startswith("404 not_found")


def _words(reply: Reply) -> str:
    error = reply.json["error"]
    return f"{reply.status} {error['code']} {error['message']} {error.get('details')}"
