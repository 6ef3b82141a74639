"""An event may name the answer it tells of, beside the reason that came with it."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0005_handover")]

    operations: ClassVar = [
        migrations.AddField("event", "answer_id", models.UUIDField(null=True)),
    ]
