"""Many nearly equal rows of a model, quickly: what they share is prepared once."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from django.db import connection
from django.db.models import Model

BATCH: Final = 5_000


def insert_alike(alike: Model, changes: Iterable[dict[str, Any]]) -> None:
    """Inserts a row like `alike` for each of `changes`, which are by column (`title_id`)."""
    fields = {field.attname: field for field in alike._meta.concrete_fields if field.column}
    shared = {name: getattr(alike, name) for name in fields}
    if shared.get("id") is None:
        fields.pop("id", None)
    values = {name: _prepared(fields[name], shared[name]) for name in fields}
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields.values())
    _send(
        f"{alike._meta.db_table} ({names})",
        len(fields),
        (_row(fields, values, change) for change in changes),
    )


def _send(target: str, columns: int, rows: Iterator[list[Any]]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {target} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * columns)
        while batch := list(islice(rows, BATCH)):
            cursor.executemany(f"INSERT INTO {target} VALUES ({marks})", batch)


def _row(fields: dict[str, Any], values: dict[str, Any], change: dict[str, Any]) -> list[Any]:
    own = {name: _prepared(fields[name], value) for name, value in change.items()}
    return list((values | own).values())


def _prepared(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)
