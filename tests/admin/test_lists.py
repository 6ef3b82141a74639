"""The admin's lists: found, filtered, in sections, with a fixed number of statements."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Agent, Connector, Invitation, Membership, Org, Project, Token, User
from accounts.services.orgs import connector_make, member_add, org_make, project_make
from accounts.states import WORK_SCOPES, Role
from policy.models import Policy
from stuckbot.lib import clock, ids
from stuckbot.lib.models import Mail, Timer
from tests.support import Api, Desk, file_ticket, prove
from tickets.models import Ticket
from verification.models import Evidence, Verification, VerifierKey

LISTED = [
    Invitation,
    Mail,
    *(Org, User, Project, Membership, Connector, Agent, Token, Policy),
    *(Ticket, Verification, Evidence, Timer, VerifierKey),
]


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    user = User.objects.create_superuser("root@example.com", "correct horse")
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def _more(desk: Desk, turn: int) -> None:
    """One more of everything."""
    now = clock.now()
    org = org_make(name=f"Org {turn}", now=now)
    project = project_make(org=org, name="P", now=now)
    user = User.objects.create_user(f"p{turn}@example.com", "correct horse")
    member = member_add(org=org, user=user, role=Role.ADMIN, now=now)
    connector_make(org=org, name="C", scopes=WORK_SCOPES, set_up_by=member.actor, now=now)
    Policy(org=org, project=project, blocker="person").save(force_insert=True)
    agent = desk.agent(f"agent {turn}")
    ref = file_ticket(agent)["ref"]
    agent.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    prove(agent, ref).ok(201)
    agent.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker"}).ok()
    timer = Timer(id=ids.uuid7(), org_id=org.id, kind="x", subject=ids.uuid7(), due_at=now)
    timer.quarantined_at = now
    timer.save(force_insert=True)


def _statements(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(path).status_code == 200
    return len(asked)


@pytest.mark.parametrize("model", LISTED)
def test_a_list_costs_the_same_however_long(operator: Client, desk: Desk, model: Any) -> None:
    path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    _more(desk, 1)
    _statements(operator, path)
    few = _statements(operator, path)
    for turn in range(2, 8):
        _more(desk, turn)
    assert _statements(operator, path) <= few
    assert few <= 16


@pytest.mark.parametrize("model", LISTED)
def test_a_list_can_be_searched(operator: Client, model: Any) -> None:
    path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    for word in ("acme", "SB-1", str(ids.uuid7()), "%_'\"\\", "1" * 40):
        assert operator.get(path, {"q": word}).status_code == 200


def test_the_index_is_in_the_operators_words(operator: Client, desk: Desk) -> None:
    page = operator.get("/admin/").content.decode()
    heads = ["Organisations", "People", "Agents and keys", "Tickets", "Background work"]
    assert sorted(heads, key=page.index) == heads
    assert "The house" not in page
    assert "/admin/auth/group/" not in page
    Group.objects.create(name="Auditors")
    assert "/admin/auth/group/" in operator.get("/admin/").content.decode()


def test_the_index_names_every_page_once(operator: Client, db: None) -> None:
    Group.objects.create(name="Auditors")
    page = operator.get("/admin/").content.decode()
    for model in admin.site._registry:
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert f'href="{address}"' in page, address


def test_a_personal_token_is_for_a_member_of_the_chosen_org(
    operator: Client, desk: Desk, other: Desk
) -> None:
    first = operator.get("/admin/accounts/token/add/").content.decode()
    assert "Of which org?" in first
    assert "mallory" not in first
    path = f"/admin/accounts/token/add/?org={desk.org.id}"
    page = operator.get(path).content.decode()
    assert "bob@acme.example" in page
    assert "mallory" not in page
    stranger = other.people["mallory"].id
    refused = operator.post(path, {"membership": stranger, "name": "theirs"})
    assert refused.status_code == 200
    assert not Token.unscoped.filter(kind="sbp").exists()
    for wrong in ("", "nonsense", str(ids.uuid7())):
        page = operator.get("/admin/accounts/token/add/", {"org": wrong}).content.decode()
        assert "Of which org?" in page


def test_what_an_api_called_is_listed(operator: Client, desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    month = clock.now()
    page = operator.get(f"/admin/tickets/ticket/?created_at__year={month.year}").content.decode()
    assert "SB-1" in page
