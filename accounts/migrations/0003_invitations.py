from typing import ClassVar

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

import stuckbot.lib.clock
import stuckbot.lib.ids
from stuckbot.lib.same_org import INVITATIONS, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0002_same_org"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="membership",
            name="last_seen_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="session_mark",
            field=models.CharField(default="", editable=False, max_length=22),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=stuckbot.lib.ids.uuid7,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "owner"),
                            ("admin", "admin"),
                            ("member", "member"),
                            ("viewer", "viewer"),
                        ],
                        max_length=10,
                    ),
                ),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                (
                    "created_at",
                    models.DateTimeField(default=stuckbot.lib.clock.now, editable=False),
                ),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.actor",
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.actor",
                    ),
                ),
                (
                    "org",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.org",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "unscoped",
                "default_manager_name": "unscoped",
                "constraints": [
                    models.UniqueConstraint(fields=("org", "id"), name="invitation_org_id"),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("accepted_at__isnull", True), ("revoked_at__isnull", True)
                        ),
                        fields=("org", "email"),
                        name="invitation_open",
                    ),
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        links_migration(INVITATIONS),
    ]
