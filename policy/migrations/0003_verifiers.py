from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("policy", "0002_same_org")]
    operations: ClassVar = [
        migrations.AddField(
            "policy",
            "verifier_wait_minutes",
            models.PositiveIntegerField(
                blank=True, null=True, validators=[MaxValueValidator(43_200)]
            ),
        ),
        migrations.AddField(
            "policy", "different_connector", models.BooleanField(blank=True, null=True)
        ),
        migrations.AddField(
            "policy", "different_provider", models.BooleanField(blank=True, null=True)
        ),
        migrations.AddField(
            "policy",
            "max_rejections",
            models.PositiveIntegerField(
                blank=True, null=True, validators=[MinValueValidator(1), MaxValueValidator(100)]
            ),
        ),
    ]
