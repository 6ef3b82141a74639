"""Fills an org with a believable week of tickets, or takes it away again."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.models import Org, User
from stuckbot.lib import clock, ids
from stuckbot.lib.errors import Refusal
from stuckbot.site.demo.removal import demo_remove
from stuckbot.site.demo.week import DemoRefused, demo_fill, demo_new, record_find


class Command(BaseCommand):
    help = (
        "Fill an org with a week of made-up tickets, agents and people, to look at; --remove takes"
        " exactly that away again. No mail is sent."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--org", metavar="ID", help="an org that has no tickets yet")
        where.add_argument("--new", metavar="NAME", help="make an org of that name for it")
        parser.add_argument("--member", metavar="ADDRESS", help="who owns the org that --new makes")
        parser.add_argument("--seed", type=int, default=1, help="another week (default: 1)")
        parser.add_argument("--remove", action="store_true", help="take the demo away")
        parser.add_argument(
            "--with-replies", action="store_true", help="with what others did to its tickets"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            said = self._remove(options) if options["remove"] else self._add(options)
        except (DemoRefused, Refusal) as refused:
            raise CommandError(str(refused) or getattr(refused, "message", "")) from refused
        self.stdout.write(said)

    def _add(self, options: dict[str, Any]) -> str:
        org = _org(options)
        if org is not None and record_find(org.id) is not None:
            return f"The demo is there already, in {org.name} ({org.id})."
        if org is None:
            member = _member(options["member"])
            now = clock.now()
            org = demo_new(name=options["new"], seed=options["seed"], member=member, now=now)
        elif options["new"]:
            raise CommandError("There is an org of that name already. Choose another name.")
        else:
            demo_fill(org=org, seed=options["seed"], now=clock.now())
        return _added(org, options)

    def _remove(self, options: dict[str, Any]) -> str:
        org = _org(options)
        if org is None:
            raise CommandError("There is no org of that name with a demo in it.")
        gone = demo_remove(org=org, with_replies=options["with_replies"], now=clock.now())
        rest = "and its org with it" if gone else "; the rest of the org is as it was"
        return f"The demo is gone{' ' if gone else ''}{rest}."


def _org(options: dict[str, Any]) -> Org | None:
    """The org of that id; with --new the one of that name, best one with a demo in it."""
    if options["new"] is not None:
        found = list(Org.objects.filter(name=options["new"].strip()).order_by("created_at"))
        return next((one for one in found if record_find(one.id)), found[0] if found else None)
    org_id = ids.parse_uuid(options["org"])
    org = Org.objects.filter(id=org_id).first() if org_id else None
    if org is None:
        raise CommandError("There is no org of that id. The admin lists them.")
    return org


def _member(address: str | None) -> User | None:
    if address is None:
        return None
    user = User.objects.filter(email=address.lower()).first()
    if user is None:
        raise CommandError("--member: nobody has a login with that address.")
    return user


def _added(org: Org, options: dict[str, Any]) -> str:
    look = f"Look at it: {settings.PUBLIC_URL}/?org={org.id}"
    if options["new"] and options["member"] is None:
        look = "Nobody can look at it yet: make somebody a member of it in the admin."
    return (
        f"A week of tickets is in {org.name}. {look}\n"
        f"Take it away again: manage.py demo --org {org.id} --remove"
    )
