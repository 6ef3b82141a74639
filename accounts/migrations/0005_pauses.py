"""Who paused a project or the whole org, and why."""

from typing import Any, ClassVar

from django.db import migrations, models
from django.db.models.deletion import SET_NULL

from stuckbot.lib.same_org import PAUSED, links_migration


def _by() -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        editable=False,
        null=True,
        on_delete=SET_NULL,
        related_name="+",
        to="accounts.actor",
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0004_notices")]

    operations: ClassVar = [
        migrations.AddField("org", "paused_by", _by()),
        migrations.AddField("org", "pause_reason_id", models.UUIDField(editable=False, null=True)),
        migrations.AddField("project", "paused_by", _by()),
        migrations.AddField(
            "project", "pause_reason_id", models.UUIDField(editable=False, null=True)
        ),
        links_migration(PAUSED),
    ]
