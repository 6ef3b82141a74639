from typing import ClassVar

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

from stuckbot.lib.same_org import FINDINGS, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0002_same_org"),
        ("tickets", "0002_same_org"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("place", models.CharField(max_length=500)),
                ("kind", models.CharField(max_length=60)),
                ("preview", models.CharField(max_length=200)),
                ("at", models.DateTimeField()),
                (
                    "org",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.org",
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="tickets.ticket",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "unscoped",
                "default_manager_name": "unscoped",
                "indexes": [models.Index(fields=["ticket", "id"], name="finding_ticket")],
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
        links_migration(FINDINGS),
    ]
