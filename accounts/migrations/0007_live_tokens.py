"""An index for the tokens that sign in now."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0006_signals")]

    operations: ClassVar = [
        migrations.AddIndex(
            model_name="token",
            index=models.Index(
                condition=models.Q(("revoked_at__isnull", True)),
                fields=["org", "expires_at", "agent"],
                name="token_live",
            ),
        ),
    ]
