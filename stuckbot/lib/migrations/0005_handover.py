"""An index for what those who left a ticket said to whoever takes it next."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0004_events_by_actor")]

    operations: ClassVar = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                fields=["ticket_id", "seq"],
                name="event_handover",
                condition=models.Q(
                    type__in=(
                        "claim_expired",
                        "needs_human",
                        "stage_approved",
                        "stage_rejected",
                        "ticket_released",
                        "ticket_reopened",
                        "ticket_sent_back",
                    )
                ),
            ),
        ),
    ]
