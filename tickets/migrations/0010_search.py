"""What tickets are found by: their words, counts of stems, pairs that look alike, fingerprints."""

from typing import Any, ClassVar

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.manager import Manager

from stuckbot.lib.same_org import SEARCH, links_migration

_OPTIONS: dict[str, Any] = {
    "abstract": False,
    "base_manager_name": "unscoped",
    "default_manager_name": "unscoped",
}
_CASCADE: Any = django.db.models.deletion.CASCADE

#: The words are made by `tickets.search.tokens`: all that is not ASCII belongs to a word here.
SQLITE = (
    "CREATE VIRTUAL TABLE tickets_searchwords USING fts5(title, body, parts, scope, stems,"
    " tokenize = 'ascii', prefix = '2 3 4', columnsize = 0)",
    "CREATE TRIGGER tickets_searchdoc_gone AFTER DELETE ON tickets_searchdoc BEGIN"
    " DELETE FROM tickets_searchwords WHERE rowid = old.id; END",
)
SQLITE_BACK = (
    "DROP TRIGGER IF EXISTS tickets_searchdoc_gone",
    "DROP TABLE IF EXISTS tickets_searchwords",
)
POSTGRESQL = (
    "ALTER TABLE tickets_searchdoc ADD COLUMN lexemes tsvector NOT NULL DEFAULT ''",
    # Beside the row: a search that looks at many rows reads few pages.
    "ALTER TABLE tickets_searchdoc SET (toast_tuple_target = 128)",
    "CREATE INDEX tickets_searchdoc_lexemes ON tickets_searchdoc USING gin (lexemes)",
)
POSTGRESQL_BACK = (
    "DROP INDEX IF EXISTS tickets_searchdoc_lexemes",
    "ALTER TABLE tickets_searchdoc DROP COLUMN IF EXISTS lexemes",
)


def _forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in POSTGRESQL if editor.connection.vendor == "postgresql" else SQLITE:
        editor.execute(statement)


def _backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    is_postgres = editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL_BACK if is_postgres else SQLITE_BACK:
        editor.execute(statement)


def _managers() -> list[tuple[str, Any]]:
    return [("unscoped", Manager())]


def _to(model: str, **options: Any) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(on_delete=_CASCADE, related_name="+", to=model, **options)


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0004_notices"),
        ("tickets", "0009_claim_ending_and_loops"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            "SearchOrg",
            [
                (
                    "org",
                    models.OneToOneField(
                        on_delete=_CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="accounts.org",
                    ),
                ),
                ("slot", models.IntegerField(unique=True)),
            ],
            _OPTIONS,
            managers=_managers(),
        ),
        migrations.CreateModel(
            "SearchDoc",
            [
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("stems", models.TextField(default="")),
                ("org", _to("accounts.org", db_index=False)),
                (
                    "ticket",
                    models.OneToOneField(on_delete=_CASCADE, related_name="+", to="tickets.ticket"),
                ),
            ],
            _OPTIONS,
            managers=_managers(),
        ),
        migrations.CreateModel(
            "SearchCount",
            [
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "org_id",
                        "bucket",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("bucket", models.IntegerField()),
                ("number", models.IntegerField(default=0)),
                ("org", _to("accounts.org", db_index=False)),
            ],
            _OPTIONS,
            managers=_managers(),
        ),
        migrations.CreateModel(
            "SearchLike",
            [
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("score", models.IntegerField()),
                ("org", _to("accounts.org", db_index=False)),
                ("other", _to("tickets.ticket")),
                ("ticket", _to("tickets.ticket", db_index=False)),
            ],
            _OPTIONS,
            managers=_managers(),
        ),
        migrations.AddConstraint(
            "searchlike",
            models.UniqueConstraint(fields=["ticket", "other"], name="searchlike_pair"),
        ),
        migrations.AddIndex(
            "searchlike",
            models.Index(
                models.F("ticket"),
                models.F("score").desc(),
                models.F("id").desc(),
                name="searchlike_best",
            ),
        ),
        migrations.AddIndex(
            "ticket",
            models.Index(
                models.F("org"),
                models.F("fingerprint"),
                models.F("number").desc(),
                name="ticket_fingerprint",
            ),
        ),
        links_migration(SEARCH),
        migrations.RunPython(_forwards, _backwards),
    ]
