"""What the solver said of the fix on submitting it, kept with the job."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models.deletion import PROTECT

from stuckbot.lib.same_org import ANSWERS, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("core", "0003_decisions_and_late_mails"),
        ("verification", "0004_signed"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            "verification",
            "answer",
            models.ForeignKey(null=True, on_delete=PROTECT, related_name="+", to="core.content"),
        ),
        links_migration(ANSWERS),
    ]
