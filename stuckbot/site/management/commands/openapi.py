"""Writes the OpenAPI document to docs/openapi.json, or checks that it is up to date."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from stuckbot.site.api.public import document


class Command(BaseCommand):
    help = "Write docs/openapi.json, or with --check fail when it differs from the code."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        path = settings.BASE_DIR / "docs" / "openapi.json"
        text = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
        if not options["check"]:
            path.write_text(text)
            self.stdout.write(f"Wrote {path.relative_to(settings.BASE_DIR)}.")
        elif not path.exists() or path.read_text() != text:
            raise CommandError("docs/openapi.json is out of date. Run: manage.py openapi")
