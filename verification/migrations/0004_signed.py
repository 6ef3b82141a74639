from typing import ClassVar

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

from stuckbot.lib.same_org import SIGNED, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0003_invitations"),
        ("verification", "0003_deciding"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="VerifierKey",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                ("pem", models.CharField(max_length=200)),
                ("fingerprint", models.CharField(max_length=64)),
                ("added_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.actor",
                    ),
                ),
                (
                    "org",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.org",
                    ),
                ),
                (
                    "revoked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.actor",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "unscoped",
                "default_manager_name": "unscoped",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Attestation",
            fields=[
                (
                    "evidence",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="attestation",
                        serialize=False,
                        to="verification.evidence",
                    ),
                ),
                ("statement", models.TextField(null=True)),
                ("statement_sha256", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=100)),
                ("signed_at", models.DateTimeField()),
                (
                    "org",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.org",
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="verification.verifierkey",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "unscoped",
                "default_manager_name": "unscoped",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddConstraint(
            model_name="verifierkey",
            constraint=models.UniqueConstraint(fields=("org", "id"), name="verifier_key_org_id"),
        ),
        migrations.AddConstraint(
            model_name="verifierkey",
            constraint=models.UniqueConstraint(
                fields=("org", "fingerprint"), name="verifier_key_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="verifierkey",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("revoked_at", None), ("revoked_by", None)),
                    models.Q(("revoked_at__isnull", False), ("revoked_by__isnull", False)),
                    _connector="OR",
                ),
                name="verifier_key_revoked",
            ),
        ),
        migrations.AddConstraint(
            model_name="attestation",
            constraint=models.UniqueConstraint(
                fields=("org", "statement_sha256"), name="attestation_statement_once"
            ),
        ),
        links_migration(SIGNED),
    ]
