"""Where a verifier may come from, and what the scope `verify` takes."""

from uuid import UUID

import pytest

from accounts.models import Agent, Connector
from accounts.services.orgs import direct_key_make, system_caller
from accounts.states import SCOPES, WORK_SCOPES
from policy.resolve import Resolved
from stuckbot.lib import clock
from tests.api.refusals import refused
from tests.support import Api, Desk
from tests.verification.bench import Review, claim, decide
from verification.eligibility import JobFacts, Part, Source, may_verify

A, B = UUID(int=1), UUID(int=2)
ANA, BEN = UUID(int=11), UUID(int=12)
NOTHING = Part(False, False, False)
LIST = "/api/v1/verifications"


def _allowed(verifier: Source, solver: Source, **rules: bool) -> bool:
    policy = Resolved(**rules)  # type: ignore[arg-type]
    job = JobFacts(A, "waiting_agent", policy, solver, NOTHING, NOTHING, None, None)
    verdict = may_verify(verifier, job)
    assert verdict.allowed == (not verdict.reason)
    plain = JobFacts(A, "", Resolved(), solver, NOTHING, NOTHING, None, None)
    assert may_verify(verifier, plain).allowed
    return verdict.allowed


@pytest.mark.parametrize(
    ("verifier", "solver", "allowed"),
    [
        # Two connectors are compared, whoever set them up.
        ((A, ANA), (A, ANA), False),
        ((A, ANA), (A, BEN), False),
        ((A, ANA), (B, ANA), True),
        ((A, None), (B, None), True),
        # With a key on either side the people are.
        ((None, ANA), (None, ANA), False),
        ((None, ANA), (None, BEN), True),
        ((None, ANA), (A, ANA), False),
        ((None, ANA), (A, BEN), True),
        ((A, ANA), (None, ANA), False),
        ((A, BEN), (None, ANA), True),
        # Nobody can tell.
        ((None, None), (A, ANA), False),
        ((None, ANA), (A, None), False),
        ((A, ANA), (None, None), False),
        ((None, None), (None, None), False),
    ],
)
def test_a_different_connector(
    verifier: tuple[UUID | None, UUID | None],
    solver: tuple[UUID | None, UUID | None],
    allowed: bool,
) -> None:
    sides = Source(*verifier, ""), Source(*solver, "")
    assert _allowed(*sides, different_connector=True) == allowed
    assert _allowed(*sides)


@pytest.mark.parametrize(
    ("verifier", "solver", "allowed"),
    [
        ("alpha", "beta", True),
        ("alpha", "alpha", False),
        (" Alpha ", "ALPHA", False),
        ("alpha  ai", "Alpha AI", False),
        ("", "alpha", False),
        ("alpha", "", False),
        ("", "", False),
        ("alpha", " ", False),
    ],
)
def test_a_different_provider(verifier: str, solver: str, allowed: bool) -> None:
    sides = Source(A, ANA, verifier), Source(B, BEN, solver)
    assert _allowed(*sides, different_provider=True) == allowed
    assert _allowed(*sides)


@pytest.fixture
def review(desk: Desk, stuck: Api, solver: Api) -> Review:
    return Review(desk, stuck, solver)


def _scopes(desk: Desk, *scopes: str) -> None:
    Connector.objects.of(desk.org.id).filter(id=desk.connector.id).update(scopes=list(scopes))


def test_who_registers_agents_cannot_approve_with_one_more(desk: Desk, review: Review) -> None:
    _scopes(desk, *WORK_SCOPES)
    job = review.review("agent")
    asked = {"name": "second", "scopes": ["verify"]}
    reply = Api(desk.enrollment_secret).post("/api/v1/agents/register", asked)
    refused(reply, 403, "insufficient_scope")
    second = desk.agent("second")
    for reply in (second.get(LIST), claim(second, job), decide(second, job)):
        assert refused(reply, 403, "insufficient_scope")["required_scope"] == "verify"


def test_it_verifies_where_the_connector_was_given_the_scope(desk: Desk, review: Review) -> None:
    _scopes(desk, *SCOPES)
    job = review.review("agent")
    refused(claim(desk.agent("asks for none"), job), 403, "insufficient_scope")
    second = desk.agent("second", scopes=["verify"])
    claim(second, job).ok()
    # Taken from the connector it is taken from its agents too.
    _scopes(desk, *WORK_SCOPES)
    refused(decide(second, job), 403, "insufficient_scope")


def test_a_policy_keeps_the_solvers_connector_out(desk: Desk, review: Review) -> None:
    job = review.review("agent", different_connector=True)
    second = desk.agent("second", scopes=["verify"])
    assert second.get(LIST).ok()["verifications"] == []
    for reply in (claim(second, job), decide(second, job), decide(second, job, "reject")):
        refused(reply, 403, "not_eligible")
    assert "another connector" in claim(second, job).json["error"]["message"]


def test_a_key_counts_by_who_set_it_up(desk: Desk, review: Review) -> None:
    """Alice set up the connector of the solver."""
    job = review.review("agent", different_connector=True)
    now = clock.now()
    key = direct_key_make(
        actor=system_caller(desk.org.id), org=desk.org, name="key", scopes=["verify"], now=now
    )
    api = Api(key.text)
    agents = Agent.objects.of(desk.org.id).filter(name="key")
    for name, status in (("", 403), ("alice", 403), ("bob", 200)):
        by = desk.people[name].actor_id if name else None
        agents.update(set_up_by=by)
        assert claim(api, job).status == status, name
