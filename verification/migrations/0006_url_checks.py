"""What the desk checks itself: the urls of criteria, opened by a checker of its own."""

from typing import ClassVar

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

from stuckbot.lib.same_org import URL_CHECKS, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0007_live_tokens"),
        ("core", "0007_pace"),
        ("tickets", "0010_search"),
        ("verification", "0005_answer"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="UrlCheck",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("criterion", models.CharField(max_length=40)),
                ("attempt", models.IntegerField()),
                ("url", models.TextField()),
                ("host", models.CharField(blank=True, default="", max_length=255)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("passed", "passed"),
                            ("failed", "failed"),
                            ("unchecked", "unchecked"),
                            ("superseded", "superseded"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=40)),
                ("http_status", models.SmallIntegerField(null=True)),
                ("address", models.CharField(blank=True, default="", max_length=45)),
                ("took_ms", models.IntegerField(null=True)),
                ("allowed", models.BooleanField(default=False)),
                ("tries", models.SmallIntegerField(default=0)),
                ("takes", models.SmallIntegerField(default=0)),
                ("under_way", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("tried_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "URL check",
                "abstract": False,
                "base_manager_name": "unscoped",
                "default_manager_name": "unscoped",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(
                condition=models.Q(("state", "waiting_checks")),
                fields=["ticket"],
                name="verification_checking",
            ),
        ),
        migrations.AddField(
            model_name="urlcheck",
            name="evidence",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="check_asked",
                to="verification.evidence",
            ),
        ),
        migrations.AddField(
            model_name="urlcheck",
            name="found",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="check_told",
                to="verification.evidence",
            ),
        ),
        migrations.AddField(
            model_name="urlcheck",
            name="org",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.org"
            ),
        ),
        migrations.AddField(
            model_name="urlcheck",
            name="ticket",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="url_checks",
                to="tickets.ticket",
            ),
        ),
        migrations.AddIndex(
            model_name="urlcheck",
            index=models.Index(
                condition=models.Q(("status", "waiting")), fields=["due_at"], name="url_check_due"
            ),
        ),
        migrations.AddIndex(
            model_name="urlcheck",
            index=models.Index(fields=["tried_at"], name="url_check_tried"),
        ),
        migrations.AddConstraint(
            model_name="urlcheck",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "waiting")),
                fields=("ticket", "criterion"),
                name="url_check_one_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="urlcheck",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at", None), ("found", None), ("status", "waiting")),
                    models.Q(
                        models.Q(("status", "waiting"), _negated=True),
                        ("finished_at__isnull", False),
                        ("under_way", False),
                    ),
                    _connector="OR",
                ),
                name="url_check_finished",
            ),
        ),
        links_migration(URL_CHECKS),
    ]
