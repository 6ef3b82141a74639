"""Makes a personal access token for a member."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Membership
from accounts.services.orgs import person_token_make
from stuckbot.lib import clock
from stuckbot.lib.errors import Refusal


class Command(BaseCommand):
    help = "Make a personal access token for a member; it is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True, help="the member's mail address")
        parser.add_argument("--org", help="the org's id, when the person is in several")
        parser.add_argument("--name", default="command line", help="what the token is for")

    def handle(self, *args: Any, **options: Any) -> None:
        memberships = Membership.unscoped.filter(user__email=options["email"].lower())
        if options["org"]:
            memberships = memberships.filter(org_id=options["org"])
        found = list(memberships.select_related("actor", "org")[:2])
        if not found:
            raise CommandError("--email: no member of that address. See them in the admin.")
        if len(found) > 1:
            raise CommandError("--org: this person is in several orgs; say which by its id.")
        try:
            fresh = person_token_make(membership=found[0], name=options["name"], now=clock.now())
        except Refusal as refused:
            raise CommandError(f"--name: {refused.message}") from refused
        self.stdout.write(fresh.text)
