"""Makes the search index anew: after a restore, or after an upgrade that changes how it reads."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Org
from stuckbot.lib import ids
from stuckbot.site.search.rebuild import search_rebuild


class Command(BaseCommand):
    help = "Write what tickets are found by anew, from the tickets. The desk may run meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--org", help="the id of one org; all of them when left out")
        parser.add_argument(
            "--words-only",
            action="store_true",
            help="leave which tickets look alike as it is, which takes most of the time",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        orgs = Org.objects.order_by("id")
        if options["org"]:
            org_id = ids.parse_uuid(options["org"])
            if org_id is None or not Org.objects.filter(id=org_id).exists():
                raise CommandError("There is no org of that id.")
            orgs = orgs.filter(id=org_id)
        for org in orgs:
            count = search_rebuild(org.id, with_likes=not options["words_only"])
            self.stdout.write(f"{org.id}: {count} tickets")
