from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("core", "0002_mail"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="mail",
            name="maker",
            field=models.CharField(default="", max_length=20),
        ),
        migrations.AddField(
            model_name="mail",
            name="about",
            field=models.UUIDField(null=True),
        ),
        migrations.AddConstraint(
            model_name="mail",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("about__isnull", False),
                    ("attempts", 0),
                    ("quarantined_at__isnull", True),
                    ("sent_at__isnull", True),
                ),
                fields=("maker", "about"),
                name="mail_untried",
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(
                    (
                        "type__in",
                        (
                            "checks_finished",
                            "needs_human",
                            "stage_submitted",
                            "verification_passed_on",
                        ),
                    )
                ),
                fields=["org_id", "seq"],
                name="event_decision",
            ),
        ),
    ]
