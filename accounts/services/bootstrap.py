"""A first org, or an existing one found again, with fresh secrets."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import Agent, Connector, Membership, Org, Token, User
from accounts.services.orgs import (
    connector_make,
    direct_key_make,
    direct_key_renew,
    enrollment_secret_make,
    member_add,
    org_make,
    system_caller,
)
from accounts.states import WORK_SCOPES, Role, TokenKind
from stuckbot.lib import ids

CONNECTOR = "Agents"
DIRECT_AGENT = "direct"
VERIFIER_AGENT = "verifier"
VERIFIER_SCOPES = ("tickets:read_project", "verify")


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """Ids and secrets of an org. The secrets are shown this once; older ones stop working."""

    org: Org
    email: str
    password: str
    enrollment_secret: str
    direct_key: str
    verifier_key: str


def org_bootstrap(*, name: str, email: str, now: datetime) -> Bootstrapped:
    """Makes (or finds) the org of that name with its owner, connector, direct and verifier key."""
    with transaction.atomic():
        org = Org.objects.filter(name=name).order_by("created_at").first()
        org = org or org_make(name=name, now=now)
        user, password = _owner(org, email, now)
        system = system_caller(org.id)
        connector = Connector.objects.of(org.id).filter(name=CONNECTOR).first()
        if connector is None:
            owner = Membership.objects.of(org.id).get(user=user).actor
            connector = connector_make(
                org=org, name=CONNECTOR, scopes=WORK_SCOPES, set_up_by=owner, now=now
            )
        secret = enrollment_secret_make(actor=system, connector=connector, now=now).text
        direct = _direct_key(org, DIRECT_AGENT, WORK_SCOPES, now)
        verifier = _direct_key(org, VERIFIER_AGENT, VERIFIER_SCOPES, now)
    return Bootstrapped(org, user.email, password, secret, direct, verifier)


def _owner(org: Org, email: str, now: datetime) -> tuple[User, str]:
    """The owner with a new password. The first user of the desk may open the operators' admin."""
    password = ids.base62(16)
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        first = not User.objects.exists()
        user = User.objects.create_user(email, is_staff=first, is_superuser=first)
    user.set_password(password)
    user.save(update_fields=["password"])
    if not Membership.objects.of(org.id).filter(user=user).exists():
        member_add(org=org, user=user, role=Role.OWNER, now=now)
    return user, password


def _direct_key(org: Org, name: str, scopes: tuple[str, ...], now: datetime) -> str:
    system = system_caller(org.id)
    known = Token.objects.of(org.id).filter(kind=TokenKind.DIRECT, agent__name=name)
    agent = Agent.objects.of(org.id).filter(id__in=known.values("agent_id"), retired_at=None)
    found = agent.order_by("created_at").first()
    if found is not None:
        return direct_key_renew(actor=system, agent=found, now=now).text
    return direct_key_make(actor=system, org=org, name=name, scopes=scopes, now=now).text
