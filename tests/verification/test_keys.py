"""Verifier keys: added and revoked by owner and admins, by command, once each."""

import json
import logging
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.selectors import caller_of_membership
from accounts.services.orgs import system_caller
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Invalid, Missing
from stuckbot.lib.models import Audit
from tests.admin.test_admin import stored
from tests.support import Desk
from tests.verification.signed import Signer
from verification.models import VerifierKey
from verification.services.keys import key_add, key_revoke
from verification.signing import LEAKED


def caller(desk: Desk, name: str) -> Caller:
    return caller_of_membership(desk.people[name])


def add(desk: Desk, signer: Signer, by: str = "alice", name: str = "CI") -> VerifierKey:
    return key_add(actor=caller(desk, by), name=name, pem=signer.pem, now=clock.now())


def revoke(desk: Desk, signer: Signer, by: str = "alice") -> VerifierKey:
    return key_revoke(actor=caller(desk, by), fingerprint=signer.fingerprint, now=clock.now())


def acts(desk: Desk) -> list[str]:
    return list(Audit.objects.of(desk.org.id).order_by("no").values_list("action", flat=True))


def test_a_key_is_added_once(desk: Desk) -> None:
    signer = Signer()
    before = len(acts(desk))
    row = add(desk, signer)
    assert (row.name, row.pem, row.fingerprint) == ("CI", signer.pem, signer.fingerprint)
    again = add(desk, signer, name="Another name")
    assert (again.id, again.name) == (row.id, "CI")
    assert acts(desk)[before:] == ["verifier_key_added"]


def test_a_key_is_revoked_once_and_for_good(desk: Desk) -> None:
    signer = Signer()
    add(desk, signer)
    before = len(acts(desk))
    first = revoke(desk, signer)
    again = revoke(desk, signer)
    assert first.revoked_at == again.revoked_at is not None
    assert acts(desk)[before:] == ["verifier_key_revoked"]
    with pytest.raises(Conflict, match="revoked, for good"):
        add(desk, signer)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
def test_only_an_owner_or_admin_may(desk: Desk, role: Role) -> None:
    signer, late = Signer(), Signer()
    add(desk, late)
    who = {Role.MEMBER: "bob", Role.VIEWER: "carol"}[role]
    with pytest.raises(Forbidden):
        add(desk, signer, by=who)
    with pytest.raises(Forbidden):
        revoke(desk, late, by=who)
    assert [row.revoked_at for row in VerifierKey.objects.of(desk.org.id)] == [None]


def test_another_orgs_keys_are_not_there(desk: Desk, other: Desk) -> None:
    signer = Signer()
    add(desk, signer)
    with pytest.raises(Missing):
        revoke(other, signer, by="mallory")
    assert add(other, signer, by="mallory").org_id == other.org.id
    assert VerifierKey.objects.of(desk.org.id).get().revoked_at is None


def test_every_fault_is_named_at_once(desk: Desk) -> None:
    with pytest.raises(Invalid) as refused:
        key_add(actor=caller(desk, "alice"), name=" ", pem="?", now=clock.now())
    assert {one["path"] for one in refused.value.details["fields"]} == {"name", "pem"}


def test_a_private_key_is_kept_nowhere(desk: Desk, caplog: Any) -> None:
    private = Signer().private_pem()
    with caplog.at_level(logging.DEBUG), pytest.raises(Invalid) as refused:
        key_add(actor=caller(desk, "alice"), name="CI", pem=private, now=clock.now())
    assert refused.value.message == LEAKED
    body = private.splitlines()[1]
    assert not stored(body)
    assert body not in str(refused.value.details) + caplog.text


def run(*words: str) -> str:
    out = StringIO()
    call_command("verifier_key", *words, stdout=out)
    return out.getvalue()


def test_the_command_adds_lists_and_revokes(desk: Desk, tmp_path: Path) -> None:
    signer, org = Signer(), str(desk.org.id)
    file = tmp_path / "verifier.pub"
    file.write_text(signer.pem, encoding="utf-8")
    assert "no verifier keys" in run("list", "--org", org)
    assert run("add", "--org", org, "--name", "CI", str(file)) == (
        f"{signer.fingerprint}  CI  in use\n"
    )
    shown = json.loads(run("list", "--org", org, "--json"))["keys"]
    assert [(one["fingerprint"], one["pem"]) for one in shown] == [(signer.fingerprint, signer.pem)]
    told = json.loads(run("revoke", "--org", org, signer.fingerprint.upper(), "--json"))["key"]
    assert told["revoked_at"]
    assert "revoked" in run("list", "--org", org)
    row = VerifierKey.objects.of(desk.org.id).get()
    assert row.added_by_id == row.revoked_by_id == system_caller(desk.org.id).id


def test_the_command_says_what_is_wrong(desk: Desk, tmp_path: Path) -> None:
    org = str(desk.org.id)
    file = tmp_path / "verifier.pub"
    file.write_text(Signer().private_pem(), encoding="utf-8")
    for words, told in (
        (("add", "--org", org, "--name", "CI", str(file)), "Treat it as leaked"),
        (("add", "--org", org, "--name", "CI", str(tmp_path / "none")), "no such file"),
        (("add", "--org", org, "--name", "CI", str(tmp_path)), "cannot be read"),
        (("list", "--org", "acme"), "no org of that id"),
        (("revoke", "--org", org, "f" * 64), "no verifier key"),
    ):
        with pytest.raises(CommandError, match=told):
            run(*words)
