"""Chains of tickets by index, and the reasons of pausing one and of handing one on."""

from typing import Any, ClassVar

from django.db import migrations, models
from django.db.models.deletion import PROTECT

from stuckbot.lib.same_org import CHAINS, links_migration


def _reason() -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        db_index=False, null=True, on_delete=PROTECT, related_name="+", to="core.content"
    )


def _by(column: str) -> models.Index:
    there = models.Q(**{f"{column}__isnull": False})
    return models.Index(fields=[column], name=f"ticket_{column}", condition=there)


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("tickets", "0007_incomplete"),
        ("core", "0003_decisions_and_late_mails"),
    ]

    operations: ClassVar = [
        migrations.AddField("ticket", "pause_reason", _reason()),
        migrations.AddField("ticket", "handoff_reason", _reason()),
        migrations.AddIndex(
            "ticket",
            models.Index(
                fields=["root_id", "depth"],
                name="ticket_chain",
                condition=models.Q(depth__gt=0),
            ),
        ),
        migrations.AddIndex("ticket", _by("pause_reason")),
        migrations.AddIndex("ticket", _by("handoff_reason")),
        links_migration(CHAINS),
    ]
