from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


def _limit(most: int, least: int = 0) -> models.PositiveBigIntegerField:
    bounds = [MinValueValidator(least), MaxValueValidator(most)]
    return models.PositiveBigIntegerField(blank=True, null=True, validators=bounds)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("policy", "0003_verifiers")]
    operations: ClassVar = [
        migrations.AddField("policy", "budget_tokens_soft", _limit(10**12)),
        migrations.AddField("policy", "budget_tokens_hard", _limit(10**12)),
        migrations.AddField("policy", "budget_cost_soft", _limit(100_000_000)),
        migrations.AddField("policy", "budget_cost_hard", _limit(100_000_000)),
        migrations.AddField("policy", "budget_runtime_soft", _limit(525_600)),
        migrations.AddField("policy", "budget_runtime_hard", _limit(525_600)),
        migrations.AddField("policy", "watchdog_minutes", _limit(1_440)),
        migrations.AddField("policy", "create_per_hour", _limit(1_000_000, 1)),
        migrations.AddField("policy", "create_burst", _limit(1_000_000, 1)),
    ]
