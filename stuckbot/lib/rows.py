"""Inserting and changing rows where it happens on every call.

What `bulk_create` and `update` do, in a third of their time: a value goes straight from its field
to the database, and the statement of an insert is made once a table.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import AutoField, Model

#: As a value: one more than the column has now.
ONE_MORE: Final = object()


def rows_insert(*rows: Model, ignore_conflicts: bool = False) -> None:
    """Inserts rows of one table in one statement; their ids are given or the database's to make."""
    if rows:
        _run(*_insert(rows, ignore_conflicts=ignore_conflicts))


def rows_insert_tables(*tables: Sequence[Model]) -> None:
    """Inserts rows of several tables, a sequence each. PostgreSQL does it in one statement, and
    asks about keys from one table to another only when the transaction ends, as ever."""
    inserts = [_insert(rows) for rows in tables if rows]
    if len(inserts) < 2 or connection.vendor != "postgresql":
        for one in inserts:
            _run(*one)
        return
    *before, (last, _) = inserts
    parts = ", ".join(f"t{place} AS ({text})" for place, (text, _) in enumerate(before))
    _run(f"WITH {parts} {last}", [value for _, values in inserts for value in values])


def _insert(rows: Sequence[Model], *, ignore_conflicts: bool = False) -> tuple[str, list[Any]]:
    database = connections[DEFAULT_DB_ALIAS]
    target, fields, marks = _table(type(rows[0]))
    values = [
        field.get_db_prep_save(getattr(row, field.attname), database)
        for row in rows
        for field in fields
    ]
    statement = f"INSERT INTO {target} VALUES {', '.join([marks] * len(rows))}"  # noqa: S608
    return f"{statement} ON CONFLICT DO NOTHING" if ignore_conflicts else statement, values


def _run(statement: str, values: Sequence[Any]) -> None:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement, values)


def rows_update(
    model: type[Model], columns: Mapping[str, Any], *, where: str, params: Sequence[Any]
) -> int:
    """Sets columns, named as in the model, where the SQL holds; says how many rows it was."""
    database = connections[DEFAULT_DB_ALIAS]
    sets, values = [], []
    for name, value in columns.items():
        field: Any = model._meta.get_field(name)
        column = database.ops.quote_name(field.column)
        if value is ONE_MORE:
            sets.append(f"{column} = {column} + 1")
            continue
        raw = value.pk if isinstance(value, Model) else value
        sets.append(f"{column} = %s")
        values.append(field.get_db_prep_save(raw, database))
    statement = f"UPDATE {model._meta.db_table} SET {', '.join(sets)} WHERE {where}"  # noqa: S608
    with database.cursor() as cursor:
        cursor.execute(statement, [*values, *params])
        return int(cursor.rowcount)


@cache
def _table(model: type[Model]) -> tuple[str, tuple[Any, ...], str]:
    """The table with its columns, their fields, and the marks of one row."""
    fields: tuple[Any, ...] = tuple(
        field
        for field in model._meta.concrete_fields
        if field.column and not isinstance(field, AutoField)
    )
    names = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    return f"{model._meta.db_table} ({names})", fields, f"({', '.join(['%s'] * len(fields))})"
