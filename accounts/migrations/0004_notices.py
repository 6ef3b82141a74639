from typing import ClassVar

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

import stuckbot.lib.ids
from stuckbot.lib.same_org import NOTICES, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0003_invitations"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="membership",
            name="notices",
            field=models.CharField(
                choices=[
                    ("all", "every decision that waits"),
                    ("assigned", "those of tickets assigned to me"),
                    ("daily", "one list a day"),
                    ("none", "nothing"),
                ],
                default="all",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="digest_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(
                condition=models.Q(("notices", "daily")),
                fields=["digest_at"],
                name="membership_digest",
            ),
        ),
        migrations.CreateModel(
            name="Notice",
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
                ("seq", models.BigIntegerField()),
                ("ticket_id", models.UUIDField()),
                ("verification_id", models.UUIDField(null=True)),
                ("created_at", models.DateTimeField()),
                ("mail_id", models.UUIDField(null=True)),
                ("remind_at", models.DateTimeField(null=True)),
                ("is_reminder", models.BooleanField(default=False)),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.membership",
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
                    models.UniqueConstraint(
                        fields=("membership", "seq"), name="notice_once_per_event"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("verification_id__isnull", False)),
                        fields=("membership", "verification_id"),
                        name="notice_once_per_job",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["mail_id"], name="notice_mail"),
                    models.Index(fields=["created_at"], name="notice_created"),
                    models.Index(
                        condition=models.Q(("remind_at__isnull", False)),
                        fields=["remind_at"],
                        name="notice_remind",
                    ),
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        links_migration(NOTICES),
    ]
