"""The public keys of an org's own verifiers: adds, revokes and lists them."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Org
from accounts.services.orgs import system_caller
from stuckbot.lib import clock, ids
from stuckbot.lib.errors import Refusal
from verification.models import VerifierKey
from verification.selectors import verifier_keys_list
from verification.services.keys import key_add, key_revoke
from verification.signing import KEY_MOST


class Command(BaseCommand):
    help = "Add, revoke or list the public keys of an org's own verifiers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="add|revoke|list")
        add = verbs.add_parser("add", help="trust what a key signs from now on")
        add.add_argument("file", metavar="FILE.pem", help="the public key that keygen printed")
        add.add_argument("--name", required=True, help="which machine it is, in a word or two")
        revoke = verbs.add_parser("revoke", help="take nothing more that a key signs")
        revoke.add_argument("fingerprint", metavar="FINGERPRINT", help="as list shows it")
        every = verbs.add_parser("list", help="every key, oldest first")
        for verb in (add, revoke, every):
            verb.add_argument("--org", required=True, metavar="ID", help="the org's id")
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        org_id = _org(options["org"])
        try:
            rows = _run(org_id, options)
        except Refusal as refused:
            told = refused.details.get("fields") or [{"message": refused.message}]
            raise CommandError("\n".join(fault["message"] for fault in told)) from refused
        if options["json"]:
            found = [_shown(row) for row in rows]
            value: Any = {"keys": found} if options["verb"] == "list" else {"key": found[0]}
            self.stdout.write(json.dumps(value))
            return
        for row in rows:
            self.stdout.write(_line(row))
        if not rows:
            self.stdout.write("There are no verifier keys in this org.")


def _run(org_id: UUID, options: dict[str, Any]) -> list[VerifierKey]:
    actor, now = system_caller(org_id), clock.now()
    if options["verb"] == "add":
        pem = _file(options["file"])
        return [key_add(actor=actor, name=options["name"], pem=pem, now=now)]
    if options["verb"] == "revoke":
        return [key_revoke(actor=actor, fingerprint=options["fingerprint"], now=now)]
    return verifier_keys_list(org_id)


def _org(text: str) -> UUID:
    org_id = ids.parse_uuid(text)
    if org_id is None or not Org.objects.filter(id=org_id).exists():
        raise CommandError("--org: there is no org of that id. The admin lists them.")
    return org_id


def _file(name: str) -> str:
    """No more of it than would be refused as too long."""
    try:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            return file.read(KEY_MOST + 1)
    except OSError as error:
        raise CommandError("FILE.pem: there is no such file, or it cannot be read.") from error


def _shown(row: VerifierKey) -> dict[str, str | None]:
    return {
        "id": str(row.id),
        "name": row.name,
        "fingerprint": row.fingerprint,
        "pem": row.pem,
        "added_at": clock.wire(row.added_at),
        "revoked_at": clock.wire_or_none(row.revoked_at),
    }


def _line(row: VerifierKey) -> str:
    revoked = f"revoked {clock.wire(row.revoked_at)}" if row.revoked_at else "in use"
    return f"{row.fingerprint}  {row.name}  {revoked}"
