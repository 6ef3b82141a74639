"""An index for everything that one actor did."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0003_decisions_and_late_mails")]

    operations: ClassVar = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["actor_id", "seq"], name="event_actor_seq"),
        ),
    ]
