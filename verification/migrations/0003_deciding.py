from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("verification", "0002_same_org"),
        ("accounts", "0003_invitations"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="verification",
            name="claimed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="verification",
            name="details",
            field=models.JSONField(default=dict),
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(
                condition=models.Q(state="waiting_agent"),
                fields=["org", "submitted_at", "id"],
                name="verification_waiting",
            ),
        ),
    ]
