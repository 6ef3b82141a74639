"""When the holder of a lease is to hear that it ends, and since when a ticket goes in circles."""

from datetime import timedelta
from typing import Any, ClassVar

from django.db import migrations, models
from django.db.models import F, Q


def warn_running(apps: Any, _editor: Any) -> None:
    """Leases that run already end with a warning too."""
    tickets = apps.get_model("tickets", "Ticket")._base_manager
    running = tickets.filter(claim__isnull=False)
    running.update(warn_at=F("lease_until") - timedelta(minutes=5))


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tickets", "0008_chains")]

    operations: ClassVar = [
        migrations.AddField("ticket", "warn_at", models.DateTimeField(null=True)),
        migrations.AddField("ticket", "loop_since", models.DateTimeField(null=True)),
        migrations.RunPython(warn_running, migrations.RunPython.noop),
        migrations.AddIndex(
            "ticket",
            models.Index(
                fields=["warn_at"], name="ticket_warn", condition=Q(warn_at__isnull=False)
            ),
        ),
    ]
