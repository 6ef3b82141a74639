from typing import ClassVar

from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tickets", "0004_list_indexes")]

    operations: ClassVar = [
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                F("org"),
                F("created_at").desc(),
                F("id").desc(),
                name="ticket_open",
                condition=models.Q(closed_at__isnull=True),
            ),
        ),
    ]
