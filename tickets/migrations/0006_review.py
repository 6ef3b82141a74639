from typing import ClassVar

from django.db import migrations, models
from django.db.models.deletion import PROTECT

from stuckbot.lib.same_org import REVIEW, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("tickets", "0005_open_index"),
        ("accounts", "0003_invitations"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="ticket",
            name="verifier",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=PROTECT,
                related_name="+",
                to="accounts.actor",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="verifier_until",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="ticket",
            name="rejections_from",
            field=models.IntegerField(default=1),
        ),
        migrations.AddField(
            model_name="package",
            name="by_holder",
            field=models.BooleanField(default=False),
        ),
        links_migration(REVIEW),
    ]
