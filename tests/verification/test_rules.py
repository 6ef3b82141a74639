"""Policy × decider × evidence × history → state, assurance and notes, or a refusal."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import pytest

from accounts.models import Connector, User
from accounts.services.orgs import connector_make, enrollment_secret_make, system_caller
from accounts.sign_in import ACTING_KINDS, sign_in
from accounts.states import SCOPES
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Refusal
from stuckbot.site.usecases.decide import DecidedEvidence, Decision, verification_decide
from tests.matrix.scene import undone
from tests.support import Api, Desk
from tests.verification.bench import CHECK, COMMAND, MANUAL, WORK, Review, agent_id, decide, proof
from tests.verification.rules import AGENTS, PEOPLE, Case, Result, expected
from tickets.models import Ticket
from verification.models import Evidence, Verification

CRITERIA = {"plain": [COMMAND], "manual": [COMMAND, MANUAL], "unchecked": [COMMAND, CHECK]}
SCOPED = [*WORK, "verify"]


@dataclass(frozen=True)
class World:
    policy: str
    criteria: str = "plain"
    rejections: int = 0
    rewritten: bool = False
    connector_rule: bool = False
    provider_rule: bool = False


WORLDS = [
    *(World(kind, criteria) for kind in ("agent", "person") for criteria in CRITERIA),
    World("agent_then_person"),
    World("agent_then_person", "manual"),
    *(World(kind, rejections=2) for kind in ("agent", "person", "agent_then_person")),
    World("agent", rewritten=True),
    World("person", "unchecked", rewritten=True),
    World("agent", connector_rule=True),
    World("agent", provider_rule=True),
    World("agent_then_person", connector_rule=True, provider_rule=True),
]


class Cast:
    """Everybody of the rules, as callers of the services."""

    def __init__(self, desk: Desk, other: Desk) -> None:
        self.desk, self.other = desk, other
        self.second = _second_connector(desk)
        self.apis = {
            "stranger": self.agent("stranger", provider="Beta"),
            "same connector": desk.agent("same connector", scopes=SCOPED, provider="Beta"),
            "same provider": self.agent("same provider", provider=" ALPHA"),
            "no provider": self.agent("no provider"),
            "solver's parent": self.agent("parent"),
            "creator": self.agent("creator"),
            "earlier": self.agent("earlier"),
            "sender": self.agent("sender"),
            "held before": self.agent("held before"),
            "rejecter": self.agent("rejecter"),
            "no scope": desk.agent("no scope", scopes=WORK),
            "member": desk.person("alice"),
            "worker": desk.person("bob"),
            "viewer": desk.person("carol"),
            "foreigner": other.person("mallory"),
        }
        parent = agent_id(self.apis["solver's parent"])
        self.apis["solver"] = desk.agent(
            "solver", scopes=SCOPED, provider="Alpha", parent_agent_id=parent
        )
        for name, of in (
            ("solver's child", "solver"),
            ("solver's grandchild", "solver's child"),
            ("creator's child", "creator"),
            ("sender's child", "sender"),
        ):
            self.apis[name] = self.agent(name, parent_agent_id=agent_id(self.apis[of]))
        assert set(self.apis) == {*AGENTS, *PEOPLE}

    def agent(self, name: str, **more: Any) -> Api:
        return replace(self.desk, enrollment_secret=self.second).agent(name, scopes=SCOPED, **more)

    def caller(self, name: str) -> Caller:
        header = f"Bearer {self.apis[name].token}"
        return sign_in(header, kinds=ACTING_KINDS, now=clock.now()).caller


def _second_connector(desk: Desk) -> str:
    now = clock.now()
    made: Connector = connector_make(
        org=desk.org, name="Others", scopes=SCOPES, set_up_by=None, now=now
    )
    secret = enrollment_secret_make(actor=system_caller(desk.org.id), connector=made, now=now)
    return str(secret.text)


def _job(cast: Cast, world: World) -> Review:
    """A ticket in review after everything that the rules speak of has happened to it."""
    apis, desk = cast.apis, cast.desk
    review = Review(desk, apis["creator"], apis["solver"], criteria=CRITERIA[world.criteria])
    first = Review(desk, apis["earlier"], apis["solver"])
    Ticket.objects.of(desk.org.id).filter(id=review.row.id).update(
        root_id=first.row.root_id, parent_id=first.row.id, depth=1
    )
    for name in ("sender", "held before", "worker"):
        review.begin(apis[name])
        if name != "held before":
            apis[name].post(f"{review.path}/evidence", proof()).ok(201)
        apis[name].post(f"{review.path}/release").ok()
    review.begin()
    for _ in range(world.rejections):
        _submit(review, world, "agent")
        decide(apis["rejecter"], str(review.job.id), "reject", evidence=[proof(exit_code=1)]).ok()
    if world.rewritten:
        package = review.creator.get(review.path).ok()["ticket"]["content"]["package"]
        changed = {**package, "next_steps": ["Something else"]}
        apis["solver"].post(f"{review.path}/package", {"package": changed}).ok()
    rules = {
        "different_connector": world.connector_rule,
        "different_provider": world.provider_rule,
    }
    _submit(review, world, world.policy, **rules)
    return review


def _submit(review: Review, world: World, kind: str, **rules: Any) -> None:
    if world.criteria == "unchecked":
        sent = {
            "criterion": "b2",
            "type": "external_check",
            "payload": {"url": CHECK["url"], "status": 200},
        }
        review.solver.post(f"{review.path}/evidence", sent).ok(201)
        checks = Evidence.objects.of(review.desk.org.id).filter(criterion="b2", result="waiting")
        checks.update(result="unchecked")
    review.submit(kind, **rules)


def _decide(cast: Cast, review: Review, case: Case) -> Result:
    sent = {"none": [], "passing": [proof()], "failing": [proof(exit_code=1)]}[case.evidence]
    decision = Decision(
        case.decision,
        "Seen",
        tuple(DecidedEvidence(one["criterion"], one["type"], one["payload"]) for one in sent),
    )
    job_id, now = review.job.id, clock.now()
    try:
        verification_decide(
            actor=cast.caller(case.decider), job_id=job_id, decision=decision, now=now
        )
    except Refusal as refused:
        return Result(f"{refused.status} {refused.code}")
    job = Verification.objects.of(cast.desk.org.id).get(id=job_id)
    return Result(
        ticket=review.row.state,
        job=job.state,
        assurance=job.assurance,
        notes=tuple(job.notes),
        named=tuple(job.details.get("unproved", {})),
    )


def _cases(world: World) -> Iterator[Case]:
    for decider in (*AGENTS, *PEOPLE):
        for decision in ("approve", "reject"):
            for evidence in ("none", "passing", "failing"):
                yield Case(**asdict(world), decider=decider, decision=decision, evidence=evidence)


@pytest.fixture
def cast(desk: Desk, other: Desk, settings: Any) -> Cast:
    settings.RATE_LIMIT = None
    return Cast(desk, other)


def _wrong(cast: Cast, review: Review, case: Case) -> list[str]:
    with undone():
        found = _decide(cast, review, case)
    wanted = expected(case)
    return [] if found == wanted else [f"{case}: {found}, not {wanted}"]


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_it_decides_as_the_rules_say(world: World, cast: Cast) -> None:
    review = _job(cast, world)
    wrong = [fault for case in _cases(world) for fault in _wrong(cast, review, case)]
    assert wrong == []


@pytest.mark.parametrize("gone", ["inactive", "viewer", "removed", "worked too"])
@pytest.mark.parametrize("criteria", sorted(CRITERIA))
def test_who_is_alone_approves_their_own_work_and_it_says_so(
    gone: str, criteria: str, cast: Cast
) -> None:
    world = World("person", criteria)
    if gone == "worked too":
        cast.apis["sender"] = cast.apis["member"]
    review = _job(cast, world)
    alice = cast.desk.people["alice"]
    if gone == "inactive":
        User.objects.filter(id=alice.user_id).update(is_active=False)
    elif gone == "viewer":
        alice.role = "viewer"
        alice.save()
    elif gone == "removed":
        type(alice).objects.of(cast.desk.org.id).filter(id=alice.id).delete()
    wrong = []
    for evidence in ("none", "passing", "failing"):
        for decision in ("approve", "reject"):
            case = Case(
                **asdict(world),
                decider="worker",
                decision=decision,
                evidence=evidence,
                others=False,
            )
            wrong += _wrong(cast, review, case)
    assert wrong == []


@pytest.mark.parametrize("kind", ["agent", "agent_then_person"])
def test_what_is_listed_may_be_claimed_and_decided(kind: str, cast: Cast) -> None:
    """One rule for list, claim and decision, whoever asks."""
    review = _job(cast, World(kind, connector_rule=True))
    job = str(review.job.id)
    for name in AGENTS:
        api, heard = cast.apis[name], {}
        listed = api.get("/api/v1/verifications")
        heard["list"] = listed.status == 200 and any(
            one["id"] == job for one in listed.json["verifications"]
        )
        with undone():
            heard["claim"] = api.post(f"/api/v1/verifications/{job}/claim").status == 200
        with undone():
            heard["decide"] = decide(api, job).status == 200
        case = Case(kind, "plain", 0, False, name, "approve", "none", connector_rule=True)
        assert heard == dict.fromkeys(heard, not expected(case).refusal), name
