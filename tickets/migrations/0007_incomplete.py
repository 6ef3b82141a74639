from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tickets", "0006_review")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="ticket",
            name="missing",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
        migrations.AddField(
            model_name="ticket",
            name="bar_fixed",
            field=models.BooleanField(default=False),
        ),
    ]
