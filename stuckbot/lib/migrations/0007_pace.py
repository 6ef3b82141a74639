"""How fast each agent has been filing tickets."""

from typing import ClassVar

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0006_event_answer")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Pace",
            fields=[
                ("actor_id", models.UUIDField(primary_key=True, serialize=False)),
                ("org_id", models.UUIDField()),
                ("due_us", models.BigIntegerField()),
            ],
            options={
                "abstract": False,
                "base_manager_name": "unscoped",
                "default_manager_name": "unscoped",
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
    ]
