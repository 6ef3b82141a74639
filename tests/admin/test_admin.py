"""The operators' admin, by literal addresses."""

import re
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from accounts.models import Agent, Connector, Membership, Org, Project, Token, User
from accounts.services.orgs import direct_key_make, system_caller
from accounts.states import WORK_SCOPES
from policy.models import Policy
from stuckbot.lib import clock, ids
from stuckbot.lib.models import Audit, Timer
from tests.support import Api, Desk, file_ticket, resolve
from tickets.models import Ticket
from verification.models import Evidence, Verification

MODELS = [Org, User, Project, Membership, Connector, Agent, Token, Policy]
READ_ONLY = [Ticket, Verification, Evidence, Timer]
SURE = {"sure": "yes"}
SECRET = re.compile(r"sb[eakp]_[0-9A-Za-z]{61}")


@pytest.fixture
def operator(db: None) -> Client:
    """A superuser of no org."""
    user = User.objects.create_superuser("root@example.com", "correct horse")
    return _client(user)


def _client(user: User) -> Client:
    client = Client()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def address(model: Any) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def post(client: Client, path: str, **values: Any) -> Any:
    response = client.post(path, values)
    errors = response.context and response.context.get("errors")
    assert not errors, errors
    return response


def secret_of(client: Client, response: Any) -> str:
    """The one secret of the page that a POST leads to. Nothing may keep it: no cache, session, row
    or cookie in the clear."""
    assert response.status_code == 302
    assert not SECRET.search(str(response.headers) + str(response.cookies))
    response = client.get(response.headers["Location"])
    assert response.status_code == 200
    assert "no-store" in response.headers["Cache-Control"]
    found = SECRET.findall(response.content.decode())
    assert len(found) == 1
    assert not stored(found[0])
    # Loading it again shows nothing, and makes nothing.
    tokens = Token.unscoped.count()
    again = client.get("/admin/secret/")
    assert again.status_code == 410
    assert not SECRET.search(again.content.decode())
    assert Token.unscoped.count() == tokens
    return str(found[0])


def stored(secret: str) -> list[str]:
    """Tables that hold the secret's text anywhere."""
    holding = []
    for model in apps.get_models(include_auto_created=True):
        table = connection.ops.quote_name(model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            if any(secret[16:40] in str(_plain(row)) for row in cursor.fetchall()):
                holding.append(model._meta.db_table)
    return holding


def _plain(row: tuple[Any, ...]) -> list[Any]:
    return [bytes(one) if isinstance(one, memoryview) else one for one in row]


@pytest.fixture
def busy(desk: Desk, stuck: Api, solver: Api) -> Desk:
    """An org with a row of everything."""
    file_ticket(stuck)
    resolve(solver, "SB-1")
    Policy.unscoped.create(org=desk.org, blocker="person")
    Timer.unscoped.create(
        id=ids.uuid7(),
        org_id=desk.org.id,
        kind="lease_end",
        subject=ids.uuid7(),
        due_at=clock.now(),
        quarantined_at=clock.now(),
        last_error="It broke",
    )
    return desk


@pytest.mark.parametrize("model", [*MODELS, *READ_ONLY])
def test_it_opens_every_list_and_row(operator: Client, busy: Desk, model: Any) -> None:
    listed = operator.get(address(model))
    assert listed.status_code == 200
    row = model._default_manager.order_by("pk").first()
    page = operator.get(f"{address(model)}{row.pk}/change/")
    assert page.status_code == 200
    assert not SECRET.search(listed.content.decode() + page.content.decode())


@pytest.mark.parametrize("model", MODELS)
def test_it_opens_every_form(operator: Client, model: Any) -> None:
    assert operator.get(f"{address(model)}add/").status_code == 200


@pytest.mark.parametrize("model", READ_ONLY)
def test_it_only_reads_what_services_write(operator: Client, busy: Desk, model: Any) -> None:
    row = model._default_manager.first()
    assert operator.get(f"{address(model)}add/").status_code == 403
    assert operator.post(f"{address(model)}{row.pk}/change/", {"state": "open"}).status_code == 403
    assert operator.post(f"{address(model)}{row.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("model", [Org, User, Project, Membership, Connector, Agent, Token])
def test_it_deletes_nothing_that_history_names(operator: Client, busy: Desk, model: Any) -> None:
    row = model._default_manager.first()
    assert operator.post(f"{address(model)}{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_it_finds_a_ticket_by_its_reference(operator: Client, busy: Desk, stuck: Api) -> None:
    file_ticket(stuck, title="Another one")
    page = operator.get("/admin/tickets/ticket/?q=SB-2").content.decode()
    assert "Another one" in page
    assert "The image service" not in page


def test_it_is_closed_to_others(busy: Desk) -> None:
    assert Client().get("/admin/").status_code == 302
    alice = _client(busy.people["alice"].user)
    assert alice.get("/admin/accounts/org/").status_code in (302, 403)
    signs_in = Client().get("/admin/login/")
    assert signs_in.headers["Location"].startswith("/accounts/login/")


def test_it_makes_an_org_whole(operator: Client) -> None:
    post(operator, "/admin/accounts/org/add/", name="New org")
    org = Org.objects.get(name="New org")
    assert org.default_project is not None
    assert Audit.unscoped.get(org_id=org.id).action == "org_added"
    post(operator, "/admin/accounts/user/add/", **_person("Eve@Example.com"))
    user = User.objects.get(email="eve@example.com")
    values = {"org": org.id, "user": user.id, "role": "owner"}
    post(operator, "/admin/accounts/membership/add/", **values)
    member = Membership.objects.of(org.id).get()
    assert (member.user, member.role, member.actor.name) == (user, "owner", "eve")
    post(operator, "/admin/accounts/project/add/", org=org.id, name="Payments")
    values = {"org": org.id, "name": "CI", "scopes": ["tickets:create", "tickets:claim"]}
    post(operator, "/admin/accounts/connector/add/", **values)
    assert Connector.objects.of(org.id).get().scopes == ["tickets:create", "tickets:claim"]


def _person(email: str) -> dict[str, str]:
    return {"email": email, "password1": "a long enough one", "password2": "a long enough one"}


def test_it_keeps_addresses_apart(operator: Client, desk: Desk) -> None:
    response = operator.post("/admin/accounts/user/add/", _person("Alice@Acme.example"))
    assert "Somebody has this address already." in response.content.decode()
    user = desk.people["bob"].user
    path = f"/admin/accounts/user/{user.id}/change/"
    wrong = operator.post(path, {"email": user.email, "time_zone": "Mars/Base"})
    assert "Give a zone such as Europe/Berlin" in wrong.content.decode()
    values = {"email": user.email, "time_zone": "Europe/Berlin", "is_active": "on"}
    post(operator, path, **values)
    assert User.objects.get(id=user.id).time_zone == "Europe/Berlin"


def test_it_changes_with_an_audit(operator: Client, desk: Desk) -> None:
    bob = desk.people["bob"]
    post(operator, f"/admin/accounts/membership/{bob.id}/change/", role="admin")
    assert Membership.objects.of(desk.org.id).get(id=bob.id).role == "admin"
    entry = Audit.unscoped.filter(org_id=desk.org.id).order_by("-no")[0]
    assert (entry.action, entry.target, entry.data["fields"]) == (
        "member_changed",
        str(bob.id),
        ["role"],
    )
    alice = desk.people["alice"]
    path = f"/admin/accounts/membership/{alice.id}/change/"
    refused = operator.post(path, {"role": "viewer"})
    assert "An organisation keeps one owner" in refused.content.decode()
    User.objects.filter(id=bob.user_id).update(is_active=False)
    Membership.objects.of(desk.org.id).filter(id=bob.id).update(role="owner")
    still = operator.post(path, {"role": "viewer"})
    assert "An organisation keeps one owner" in still.content.decode()


def test_it_acts_as_the_member_where_the_operator_is_one(desk: Desk) -> None:
    alice = desk.people["alice"]
    User.objects.filter(id=alice.user_id).update(is_staff=True, is_superuser=True)
    client = _client(User.objects.get(id=alice.user_id))
    values = {"org": desk.org.id, "name": "CI", "scopes": ["tickets:create"]}
    post(client, "/admin/accounts/connector/add/", **values)
    assert Connector.objects.of(desk.org.id).get(name="CI").set_up_by_id == alice.actor_id


def test_it_steps_the_policy_version(operator: Client, desk: Desk, other: Desk) -> None:
    project = other.org.default_project_id
    values = {"org": desk.org.id, "blocker": "person"}
    refused = operator.post("/admin/policy/policy/add/", {**values, "project": project})
    assert "This one is of another org." in refused.content.decode()
    post(operator, "/admin/policy/policy/add/", **values)
    policy = Policy.objects.of(desk.org.id).get()
    post(operator, f"/admin/policy/policy/{policy.id}/change/", blocker="agent")
    post(operator, f"/admin/policy/policy/{policy.id}/delete/", post="yes")
    assert Org.objects.get(id=desk.org.id).policy_version == 4
    assert not Policy.objects.of(desk.org.id).exists()
    audits = Audit.objects.of(desk.org.id).filter(action__startswith="policy_").order_by("no")
    assert [(one.action, one.data.get("changed")) for one in audits] == [
        ("policy_added", {"blocker": [None, "person"]}),
        ("policy_changed", {"blocker": ["person", "agent"]}),
        ("policy_removed", None),
    ]
    assert len({one.data["operator"] for one in audits}) == 1


def test_a_policy_that_sets_nothing_is_refused(operator: Client, desk: Desk) -> None:
    sent = {"org": desk.org.id, "max_rejections": "0"}
    refused = operator.post("/admin/policy/policy/add/", sent).content.decode()
    assert "greater than or equal to 1" in refused
    refused = operator.post("/admin/policy/policy/add/", {"org": desk.org.id}).content.decode()
    assert "Set something: this changes nothing." in refused
    assert not Policy.objects.of(desk.org.id).exists()


def test_it_reveals_an_enrollment_secret_once(
    operator: Client, desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    path = f"/admin/accounts/connector/{desk.connector.id}/secret/"
    assert operator.get(path).status_code == 405
    secret = secret_of(operator, operator.post(path))
    assert Api(secret).post("/api/v1/agents/register", {"name": "new"}).status == 201
    old = Api(desk.enrollment_secret).post("/api/v1/agents/register", {"name": "late"})
    assert old.code == "token_revoked"
    row = operator.get(f"/admin/accounts/connector/{desk.connector.id}/change/")
    assert secret not in row.content.decode()
    out, err = capfd.readouterr()
    assert secret not in out + err


def test_it_reveals_a_direct_key_once(operator: Client, desk: Desk) -> None:
    values = {"org": desk.org.id, "name": "by hand", "scopes": ["tickets:create"]}
    key = secret_of(operator, operator.post("/admin/accounts/agent/add/", values))
    assert Api(key).get("/api/v1/agents/me").ok()["agent"]["name"] == "by hand"
    agent = Agent.objects.of(desk.org.id).get(name="by hand")
    fresh = secret_of(operator, operator.post(f"/admin/accounts/agent/{agent.id}/key/"))
    assert Api(key).get("/api/v1/agents/me").code == "token_revoked"
    assert Api(fresh).get("/api/v1/agents/me").status == 200


def test_it_renews_no_key_of_an_agent_that_registered(
    operator: Client, desk: Desk, solver: Api
) -> None:
    agent = Agent.objects.of(desk.org.id).get(name="solver")
    assert operator.post(f"/admin/accounts/agent/{agent.id}/key/").status_code == 404
    assert solver.get("/api/v1/agents/me").status == 200


def test_it_reveals_a_personal_token_once(operator: Client, desk: Desk) -> None:
    bob = desk.people["bob"]
    values = {"membership": bob.id, "name": "laptop"}
    secret = secret_of(
        operator, operator.post(f"/admin/accounts/token/add/?org={desk.org.id}", values)
    )
    assert Api(secret).get("/api/v1/tickets").status == 200
    entry = Audit.unscoped.filter(org_id=desk.org.id).order_by("-no")[0]
    assert entry.action == "person_token_handed_out"
    path = f"/admin/accounts/token/add/?org={desk.org.id}"
    wrong = operator.post(path, {"name": "nobody's"})
    assert wrong.status_code == 200
    assert not SECRET.search(wrong.content.decode())


def test_it_revokes_a_token_and_an_agent(
    operator: Client, desk: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    agent = Agent.objects.of(desk.org.id).get(name="solver")
    operator.post(f"/admin/accounts/agent/{agent.id}/retire/", SURE)
    assert solver.get("/api/v1/agents/me").code == "token_revoked"
    assert Ticket.objects.of(desk.org.id).get().state == "open"
    token = Token.objects.of(desk.org.id).get(agent__name="stuck")
    operator.post(f"/admin/accounts/token/{token.id}/revoke/", SURE)
    assert stuck.get("/api/v1/agents/me").code == "token_revoked"


def test_it_locks_a_fleet_out_and_in(operator: Client, desk: Desk, stuck: Api) -> None:
    path = f"/admin/accounts/connector/{desk.connector.id}"
    operator.post(f"{path}/disable/", SURE)
    assert stuck.get("/api/v1/agents/me").status == 401
    operator.post(f"{path}/enable/")
    assert stuck.get("/api/v1/agents/me").status == 200


def test_it_lets_no_mere_reader_press(desk: Desk) -> None:
    user = User.objects.create_user("reader@example.com", "correct horse", is_staff=True)
    key = direct_key_make(
        actor=system_caller(desk.org.id),
        org=desk.org,
        name="direct",
        scopes=WORK_SCOPES,
        now=clock.now(),
    )
    client = _client(user)
    for path in (
        f"/admin/accounts/connector/{desk.connector.id}/secret/",
        f"/admin/accounts/agent/{key.row.agent_id}/key/",
        f"/admin/accounts/token/{key.row.id}/revoke/",
        "/admin/accounts/token/add/",
    ):
        assert client.post(path).status_code == 403
