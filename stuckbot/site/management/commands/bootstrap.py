"""Makes (or finds) an org and prints its ids and fresh secrets."""

import json
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from accounts.models import Org
from accounts.names import address_fault, name_clean
from accounts.services.bootstrap import Bootstrapped, org_bootstrap
from stuckbot.lib import clock
from stuckbot.lib.errors import Refusal
from stuckbot.site.server.startup import prepare_database, wait_for_database


class Command(BaseCommand):
    help = "Make (or find) an org with a login and tokens; the secrets are shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, help="the org's name")
        parser.add_argument("--email", required=True, help="the owner's mail address")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing when there is an org already"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            name_clean(options["org"])
        except Refusal as refused:
            raise CommandError(f"--org: {refused.message}") from refused
        try:
            # A desk on one machine may use an address such as admin@localhost.
            validate_email(options["email"])
        except ValidationError as error:
            raise CommandError("--email: give a mail address, such as ana@example.com.") from error
        if fault := address_fault(options["email"]):
            raise CommandError(f"--email: {fault}")
        wait_for_database(self.stderr.write)
        prepare_database(self.stderr.write)
        if options["if_empty"] and Org.objects.exists():
            return
        made = org_bootstrap(name=options["org"], email=options["email"], now=clock.now())
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(made)))
        else:
            self.stdout.write(_as_text(made))


def _as_json(made: Bootstrapped) -> dict[str, str]:
    return {
        "org_id": str(made.org.id),
        "project_id": str(made.org.default_project_id),
        "email": made.email,
        "password": made.password,
        "enrollment_secret": made.enrollment_secret,
        "direct_key": made.direct_key,
        "verifier_key": made.verifier_key,
        "url": settings.PUBLIC_URL,
    }


def _as_text(made: Bootstrapped) -> str:
    return f"""
  StuckBot is ready. The secrets are shown this once:

    Address             {settings.PUBLIC_URL}
    Sign in             {made.email}
    Password            {made.password}
    Enrollment secret   {made.enrollment_secret}
    Direct key          {made.direct_key}
    Verifier key        {made.verifier_key}
    Id of the org       {made.org.id}
    Id of its project   {made.org.default_project_id}
"""
