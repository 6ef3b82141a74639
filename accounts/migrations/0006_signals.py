from typing import ClassVar

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

import stuckbot.lib.ids
from stuckbot.lib.same_org import SIGNALS, links_migration

ID = models.UUIDField(
    default=stuckbot.lib.ids.uuid7, editable=False, primary_key=True, serialize=False
)
OPTIONS = {
    "abstract": False,
    "base_manager_name": "unscoped",
    "default_manager_name": "unscoped",
}
MANAGERS = [("unscoped", django.db.models.manager.Manager())]


def _link(to: str, *, keeps: bool = False, **rest: bool | str) -> models.ForeignKey:
    kept = django.db.models.deletion.PROTECT if keeps else django.db.models.deletion.CASCADE
    return models.ForeignKey(on_delete=kept, to=to, **({"related_name": "+"} | rest))


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0005_pauses"), ("core", "0001_initial")]

    operations: ClassVar = [
        migrations.AddField("agent", "usage_said", models.JSONField(default=dict)),
        migrations.AddField("agent", "stopped_at", models.DateTimeField(null=True)),
        migrations.AddField("agent", "alive_at", models.DateTimeField(null=True)),
        migrations.AddField("agent", "silent_at", models.DateTimeField(null=True)),
        migrations.AddField("agent", "silent_since", models.DateTimeField(null=True)),
        migrations.AddIndex(
            "agent",
            models.Index(
                condition=models.Q(("silent_at__isnull", False)),
                fields=["silent_at"],
                name="agent_silent",
            ),
        ),
        migrations.CreateModel(
            name="Signal",
            fields=[
                ("id", ID.clone()),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("self_report", "said by itself"),
                            ("watchdog", "went silent"),
                            ("budget", "over its budget"),
                        ],
                        max_length=12,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("ticket_id", models.UUIDField(null=True)),
                ("cause", models.CharField(default=None, max_length=80, null=True)),
                ("agent", _link("accounts.agent", related_name="signals", db_index=False)),
                ("details", _link("core.content", keeps=True, null=True)),
                ("org", _link("accounts.org")),
            ],
            options={
                **OPTIONS,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("cause__isnull", False)),
                        fields=("agent", "cause"),
                        name="signal_once_per_cause",
                    )
                ],
                "indexes": [models.Index(fields=["agent", "-at", "-id"], name="signal_newest")],
            },
            managers=MANAGERS,
        ),
        migrations.CreateModel(
            name="AgentRequest",
            fields=[
                ("id", ID.clone()),
                (
                    "kind",
                    models.CharField(
                        choices=[("handoff", "hand off"), ("stop", "stop")], max_length=8
                    ),
                ),
                ("reason", models.CharField(max_length=20)),
                ("ticket_id", models.UUIDField(null=True)),
                ("requested_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("ended_by", models.CharField(blank=True, default="", max_length=12)),
                ("ended_ticket_id", models.UUIDField(null=True)),
                ("agent", _link("accounts.agent", related_name="requests", db_index=False)),
                ("message", _link("core.content", keeps=True, null=True)),
                ("org", _link("accounts.org")),
                ("requested_by", _link("accounts.actor", keeps=True)),
            ],
            options={
                **OPTIONS,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("agent", "kind"),
                        name="agentrequest_one_open",
                    )
                ],
                "indexes": [
                    models.Index(
                        fields=["agent", "-requested_at", "-id"], name="agentrequest_newest"
                    )
                ],
            },
            managers=MANAGERS,
        ),
        links_migration(SIGNALS),
    ]
