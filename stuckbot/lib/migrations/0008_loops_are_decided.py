"""That agents go round in circles is among what waits for a person."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0007_pace")]

    operations: ClassVar = [
        migrations.RemoveIndex(model_name="event", name="event_decision"),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                fields=["org_id", "seq"],
                name="event_decision",
                condition=models.Q(
                    type__in=(
                        "checks_finished",
                        "loop_suspected",
                        "needs_human",
                        "stage_submitted",
                        "verification_passed_on",
                    )
                ),
            ),
        ),
    ]
