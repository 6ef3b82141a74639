"""Names and addresses that look secret are refused, wherever one is given."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from accounts.forms import ProjectForm, UserChangeForm, UserCreationForm
from accounts.models import Agent, User
from accounts.names import Name, name_clean
from accounts.services import orgs
from accounts.states import SCOPES, Role
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid
from tests.support import Api, Desk

KEY = "ghp_" + "aB3dE5gH7jKm" * 3


def test_it_lets_plain_names_pass() -> None:
    assert name_clean("  The builder ") == Name("The builder")


def test_it_names_every_fault_of_a_registration_at_once(desk: Desk) -> None:
    api = Api(desk.enrollment_secret)
    body = {"name": KEY, "model": "a\tb", "runtime": f"r {KEY}", "labels": {"a": "x" * 9000}}
    refused = api.post("/api/v1/agents/register", body)
    assert (refused.status, refused.code) == (422, "secret_refused")
    paths = [one["path"] for one in refused.details["fields"]]
    assert sorted(paths) == ["labels", "model", "name", "runtime"]
    assert KEY not in refused.response.content.decode()
    assert api.post("/api/v1/agents/register", {"model": "a\tb"}).code == "invalid_request"


def test_it_masks_what_an_agent_says_of_itself(desk: Desk) -> None:
    said = {"labels": {KEY: "x", "a": [KEY]}, "capabilities": {"password": "Tr4vel-0ften-Lantern"}}
    reply = Api(desk.enrollment_secret).post("/api/v1/agents/register", {"name": "fine", **said})
    shown = reply.ok(201)["agent"]
    assert shown["labels"] == {"[REDACTED]": "x", "a": ["[REDACTED]"]}
    assert shown["capabilities"] == {"password": "[REDACTED]"}
    api = Api(reply.json["token"])
    api.post("/api/v1/agents/me/heartbeat", {"usage": {KEY: 3, "tokens": 5}}).ok()
    row = Agent.objects.of(desk.org.id).get()
    assert row.usage == {"[REDACTED]": 3, "tokens": 5}


def test_no_service_takes_such_a_name(desk: Desk) -> None:
    now, org = clock.now(), desk.org
    system = Caller(id=org.id, org_id=org.id, kind="system", name="StuckBot")
    member = desk.people["alice"]
    user = User.objects.create_user("dora@acme.example", name=KEY)
    tries: list[Callable[[], object]] = [
        lambda: orgs.org_make(name=KEY, now=now),
        lambda: orgs.project_make(org=org, name=KEY, now=now),
        lambda: orgs.connector_make(org=org, name=KEY, scopes=SCOPES, set_up_by=None, now=now),
        lambda: orgs.direct_key_make(actor=system, org=org, name=KEY, scopes=SCOPES, now=now),
        lambda: orgs.person_token_make(membership=member, name=KEY, now=now),
        lambda: orgs.member_add(org=org, user=user, role=Role.MEMBER, now=now),
    ]
    for tried in tries:
        with pytest.raises(Invalid) as refused:
            tried()
        assert refused.value.code == "secret_refused"


def test_no_form_takes_such_a_name_or_address(desk: Desk) -> None:
    user = desk.people["alice"].user
    forms = [
        ProjectForm({"org": desk.org.id, "name": KEY}),
        UserChangeForm({"email": user.email, "name": KEY}, instance=user),
        UserCreationForm({"email": f"{KEY}@example.com", "name": KEY}),
    ]
    wrong = [set(form.errors) & {"name", "email"} for form in forms]
    assert wrong == [{"name"}, {"name"}, {"name", "email"}]


def test_no_command_takes_such_a_name_or_address(desk: Desk) -> None:
    for line in (
        ["bootstrap", "--org", KEY, "--email", "eve@example.com"],
        ["bootstrap", "--org", "Fine", "--email", f"{KEY}@example.com"],
        ["person_token", "--email", "alice@acme.example", "--name", KEY],
    ):
        with pytest.raises(CommandError, match="looks like a key"):
            call_command(*line, stdout=StringIO(), stderr=StringIO())
    with pytest.raises(ValidationError):
        User.objects.create_superuser(f"{KEY}@example.com", "correct horse")
