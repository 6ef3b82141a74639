from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("core", "0001_initial"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("letter", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("attempts", models.IntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("quarantined_at", models.DateTimeField(null=True)),
                ("last_error", models.CharField(default="", max_length=500)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(
                            ("quarantined_at__isnull", True), ("sent_at__isnull", True)
                        ),
                        fields=["due_at"],
                        name="mail_due",
                    )
                ],
            },
        ),
    ]
