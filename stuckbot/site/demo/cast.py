"""Who takes part in the demo: projects, people with their roles, agents of three providers."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from accounts.models import Agent, Connector, Membership, Org, Project, Token, User
from accounts.selectors import caller_of_membership
from accounts.services.agents import Registration, agent_register, heartbeat_note
from accounts.services.orgs import connector_make, member_add, policy_touched, project_make
from accounts.states import AGENT_LIFE, TOKEN_LIFE, WORK_SCOPES, Role, TokenKind
from accounts.tokens import token_fresh
from policy.models import Policy
from policy.states import Approval
from stuckbot.lib.caller import Caller

#: Short name, shown name, role.
PEOPLE: Final = (
    ("ana", "Ana Ruiz", Role.OWNER),
    ("tomasz", "Tomasz Lis", Role.ADMIN),
    ("priya", "Priya Nair", Role.MEMBER),
    ("jonas", "Jonas Weber", Role.VIEWER),
)
#: Name, provider, model, what it does.
AGENTS: Final = (
    ("deploy-3", "anthropic", "claude-sonnet-4-5", "Releases the shop"),
    ("ci-7", "anthropic", "claude-haiku-4-5", "Keeps builds green"),
    ("shop-dev", "anthropic", "claude-opus-4-1", "Builds features of the shop"),
    ("data-loader", "openai", "gpt-5", "Loads and checks data"),
    ("report-bot", "openai", "gpt-5-mini", "Writes reports"),
    ("app-dev", "openai", "gpt-5-codex", "Builds the app"),
    ("app-tester", "mistral", "devstral-medium", "Tests the app on devices"),
    ("night-shift", "mistral", "devstral-small", "Takes what is left at night"),
)
#: Project, and who agrees there to a blocker and to a task; None: passing evidence is enough.
PROJECTS: Final[tuple[tuple[str, Approval | None, Approval | None], ...]] = (
    ("Web shop", None, None),
    ("Data platform", None, Approval.AGENT),
    ("Mobile app", Approval.PERSON, None),
)
CONNECTOR: Final = "Demo agents"
#: Checks what others did; it comes by a connector of its own.
VERIFIER: Final = ("second-look", "google", "gemini-2.5-pro", "Checks what others did")
VERIFIERS: Final = "Demo verifiers"
VERIFIER_SCOPES: Final = ("verify", "tickets:read_project")
#: Of its agents, in tokens, US cents and minutes; from the soft one on they are asked to hand off.
BUDGET: Final = {
    "budget_tokens_soft": 1_400_000,
    "budget_tokens_hard": 2_000_000,
    "budget_cost_hard": 2_500,
    "budget_runtime_hard": 1_440,
}
#: Where addresses of the demo end: no mail ever gets there.
_NOWHERE: Final = ".demo.example"


@dataclass(slots=True)
class Cast:
    """Everybody by short name, as callers; `made` are the ids of the rows, by table."""

    org: Org
    callers: dict[str, Caller] = field(default_factory=dict)
    projects: dict[str, Project] = field(default_factory=dict)
    made: dict[str, list[str]] = field(default_factory=dict)
    #: Of the verifier that signs: the fingerprint of its key, and the pair itself.
    signer: tuple[str, EllipticCurvePrivateKey] | None = None

    def note(self, table: str, row_id: object) -> None:
        self.made.setdefault(table, []).append(str(row_id))


def is_demo(user: User) -> bool:
    """Whether somebody only plays a part, so that nobody wonders why they cannot sign in."""
    return not user.is_active and user.email.endswith(_NOWHERE)


def cast_make(org: Org, now: datetime) -> Cast:
    """Makes everybody, in the caller's transaction."""
    cast = Cast(org)
    _projects(cast, now)
    org.refresh_from_db()
    people = [_person(cast, *one, now) for one in PEOPLE]
    connector = _connector(cast, people[0], CONNECTOR, WORK_SCOPES, now)
    _budget(cast, connector)
    for one in AGENTS:
        _agent(cast, connector, _wish(*one), now)
    verifiers = _connector(cast, people[0], VERIFIERS, VERIFIER_SCOPES, now)
    _agent(cast, verifiers, replace(_wish(*VERIFIER), scopes=VERIFIER_SCOPES), now)
    return cast


def _wish(name: str, provider: str, model: str, does: str) -> Registration:
    return Registration(
        name=name, provider=provider, model=model, runtime="container", labels={"does": does}
    )


def member_note(cast: Cast, user: User, role: Role, now: datetime) -> Membership:
    """A member of the org, noted with their actor there."""
    membership = member_add(org=cast.org, user=user, role=role, now=now)
    cast.note("membership", membership.id)
    cast.note("actor", membership.actor_id)
    return membership


#: What agents say of themselves in their last heartbeat.
SAYS: Final = {
    "deploy-3": "Waiting for the window to release",
    "ci-7": "Bisecting the flaky test, 3 of 7 steps done",
    "shop-dev": "Writing the tests of the new checkout",
    "app-tester": "Running the device matrix",
    "second-look": "Rebuilding the image to see for myself",
}


def last_seen(cast: Cast, now: datetime) -> None:
    """Agents and people were heard of at different times; what agents spent are totals."""
    for place, (name, *_rest) in enumerate(PEOPLE):
        seen = now - timedelta(minutes=(12, 95, 3, 1_500)[place])
        rows = Membership.objects.of(cast.org.id).filter(actor_id=cast.callers[name].id)
        rows.update(last_seen_at=seen)
    for place, (name, *_rest) in enumerate((*AGENTS, VERIFIER)):
        share = (2, 3, 4, 5, 6, 7, 8, 3.5, 10)[place]
        usage = {"tokens": 180_000.0 * share, "cost_usd": round(1.85 * share, 2)}
        seen = now - timedelta(minutes=(2, 1, 4, 7, 190, 3, 12, 560, 5)[place])
        usage["runtime_seconds"] = 5_400.0 * share
        heartbeat_note(actor=cast.callers[name], usage=usage, status=SAYS.get(name), now=seen)
        _renewed(cast, name, seen)


def _renewed(cast: Cast, name: str, seen: datetime) -> None:
    """Signs in for as long as an agent lives at most: a demo is looked at for some days. Nobody
    has the token's text."""
    agent_id = cast.callers[name].id
    ends = Agent.objects.of(cast.org.id).get(id=agent_id).created_at + AGENT_LIFE
    token = token_fresh(
        TokenKind.AGENT, org_id=cast.org.id, now=seen - TOKEN_LIFE / 3, agent_id=agent_id
    ).row
    token.expires_at, token.used_at = ends, seen
    older = Token.objects.of(cast.org.id).filter(agent_id=agent_id)
    older.update(used_at=token.created_at)
    token.save(force_insert=True)


def _projects(cast: Cast, now: datetime) -> None:
    taken = set(Project.objects.of(cast.org.id).values_list("name", flat=True))
    for name, blocker, task in PROJECTS:
        free = f"{name} (demo)" if name in taken else name
        project = project_make(org=cast.org, name=free, now=now)
        cast.projects[name] = project
        cast.note("project", project.id)
        if blocker or task:
            policy = Policy(org=cast.org, project=project, blocker=blocker, task=task)
            policy.save(force_insert=True)
            cast.note("policy", policy.id)
    policy_touched(org_id=cast.org.id)


def _budget(cast: Cast, connector: Connector) -> None:
    """What an agent of the demo may use; some of them are near it."""
    policy = Policy(org=cast.org, connector=connector, **BUDGET)
    policy.save(force_insert=True)
    cast.note("policy", policy.id)
    policy_touched(org_id=cast.org.id)


def _person(cast: Cast, short: str, name: str, role: Role, now: datetime) -> Membership:
    """Nobody can sign in as them: no password, not active, an address that reaches nobody."""
    address = f"{short}@{cast.org.id.hex[-12:]}{_NOWHERE}"
    user = User.objects.create_user(address, None, name=name, is_active=False, date_joined=now)
    cast.note("user", user.id)
    membership = member_note(cast, user, role, now)
    cast.callers[short] = caller_of_membership(membership)
    return membership


def _connector(
    cast: Cast, owner: Membership, name: str, scopes: tuple[str, ...], now: datetime
) -> Connector:
    taken = Connector.objects.of(cast.org.id).filter(name=name).exists()
    free = f"{name} of the week" if taken else name
    connector = connector_make(
        org=cast.org, name=free, scopes=scopes, set_up_by=owner.actor, now=now
    )
    cast.note("connector", connector.id)
    cast.note("actor", connector.id)
    return connector


def _agent(cast: Cast, connector: Connector, wish: Registration, now: datetime) -> None:
    """Registers it as any agent does; its token is shown to nobody."""
    fleet = Caller(connector.id, cast.org.id, "connector", connector.name)
    agent = agent_register(actor=fleet, registration=wish, now=now).agent
    cast.note("agent", agent.id)
    cast.note("actor", agent.id)
    cast.callers[agent.name] = Caller(
        id=agent.id,
        org_id=cast.org.id,
        kind="agent",
        name=agent.name,
        scopes=frozenset(agent.scopes),
        connector_id=connector.id,
        policy_version=cast.org.policy_version,
    )
