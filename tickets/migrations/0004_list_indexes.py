from typing import ClassVar

from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tickets", "0003_findings")]

    operations: ClassVar = [
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                F("org"),
                F("urgency").desc(),
                F("created_at"),
                F("id"),
                name="ticket_board",
                condition=models.Q(closed_at__isnull=True),
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                F("org"),
                F("closed_at").desc(),
                F("id").desc(),
                name="ticket_archive",
                condition=models.Q(closed_at__isnull=False),
            ),
        ),
    ]
