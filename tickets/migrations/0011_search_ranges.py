"""PostgreSQL: docs get lexemes for the ranges of ids they stand in and for words next to each
other, and those that a problem is known by name the org; see `tickets.search.lexemes`. What they
say is the same as before."""

from typing import ClassVar

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_INDEX = "CREATE INDEX tickets_searchdoc_lexemes ON tickets_searchdoc USING gin (lexemes)"
#: Words of other kinds (the title's, readers, stems) stand in no row that a phrase is looked for in.
_PAIRS = (
    "SELECT DISTINCT 'b=' || left(md5(one.lexeme || ' ' || other.lexeme), 4)"
    " FROM unnest(d.lexemes) one CROSS JOIN unnest(one.positions) place"
    " JOIN LATERAL (SELECT lexeme, unnest(positions) AS place FROM unnest(d.lexemes)) other"
    " ON other.place = place.place + 1"
    " AND starts_with(one.lexeme, 'h=') = starts_with(other.lexeme, 'h=')"
    " WHERE one.lexeme !~ '^[tsk]=' AND other.lexeme !~ '^[tsk]='"
)
_RANGES = "SELECT 'n=' || bits || '=' || to_hex(d.id >> bits) FROM unnest(ARRAY[12, 15, 32]) bits"
#: What a problem is known by gets the org's slot, which is the upper half of the id.
_KNOWN_BY = "SELECT lexeme FROM unnest(d.lexemes) WHERE lexeme ~ '^k='"
_KNOWN_IN = (
    "SELECT 'k=' || to_hex(d.id >> 32) || substr(lexeme, 2) FROM unnest(ARRAY({old})) lexeme"
)
FORWARDS = (
    # Written at once afterwards: that is cheaper than a row at a time.
    "DROP INDEX IF EXISTS tickets_searchdoc_lexemes",
    f"UPDATE tickets_searchdoc d SET lexemes = ts_delete(d.lexemes, ARRAY({_KNOWN_BY}))"  # noqa: S608
    f" || array_to_tsvector(ARRAY({_PAIRS} UNION {_RANGES}"
    f" UNION {_KNOWN_IN.format(old=_KNOWN_BY)}))",
    # What waits to be merged into an index is read by each question to it: nothing waits.
    f"{_INDEX} WITH (fastupdate = off)",
)
BACKWARDS = (
    "DROP INDEX IF EXISTS tickets_searchdoc_lexemes",
    "UPDATE tickets_searchdoc d SET lexemes = ts_delete(d.lexemes,"
    " ARRAY(SELECT lexeme FROM unnest(d.lexemes) WHERE lexeme ~ '^[bkn]='))"
    " || array_to_tsvector(ARRAY(SELECT 'k=' || split_part(lexeme, '=', 3)"
    " FROM unnest(d.lexemes) WHERE lexeme ~ '^k='))",
    _INDEX,
)


def _forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in statements(FORWARDS, editor.connection.vendor):
        editor.execute(statement, params=None)


def _backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in statements(BACKWARDS, editor.connection.vendor):
        editor.execute(statement, params=None)


def statements(way: tuple[str, ...], vendor: str) -> tuple[str, ...]:
    """FTS5 knows places and gives rows by id: nothing changes there."""
    return way if vendor == "postgresql" else ()


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tickets", "0010_search")]

    operations: ClassVar = [migrations.RunPython(_forwards, _backwards)]
