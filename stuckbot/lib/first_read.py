"""The statement that a machine call begins with, for little more than running it.

On PostgreSQL it is prepared: planned once a connection and not for every call, which was most of
what an unchanged poll cost. And it is its own check of a connection that rested meanwhile: where it
finds a dead one it is asked again over a new one, and no call pays for a statement that only looks.
"""

from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakSet

import psycopg
from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    InterfaceError,
    OperationalError,
    connections,
)
from psycopg import errors

Row = tuple[Any, ...]

#: A pooler that gives each transaction another session knows nothing of what was prepared, and
#: after a migration what was prepared no longer fits.
_LOST: Final = (
    errors.InvalidSqlStatementName,
    errors.DuplicatePreparedStatement,
    errors.FeatureNotSupported,
)


#: Connections on which that happened; nothing is prepared on them again.
_plain: "WeakSet[psycopg.Connection[Any]]" = WeakSet()


class _Prepared(psycopg.Cursor[Row]):
    """Prepares what it executes. For that moment alone: a connection that may prepare keeps the
    texts of a hundred statements, and those of others are as long as what they insert."""

    def execute(self, query: Any, params: Any = None, **_: Any) -> "_Prepared":
        self.connection.prepare_threshold = 0
        try:
            return super().execute(query, params)
        finally:
            self.connection.prepare_threshold = None


def first_row(statement: str, params: Sequence[Any]) -> Row | None:
    """The statement's first row, None where there is none. It only reads: it may run twice."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    try:
        return _row(database, statement, params)
    except (DatabaseError, InterfaceError) as error:
        is_lost = isinstance(error.__cause__, _LOST)
        if database.in_atomic_block or not (is_lost or _is_dead(database, error)):
            raise
    database.close()
    database.ensure_connection()
    if is_lost:
        _plain.add(database.connection)
    return _row(database, statement, params)


def _row(database: Any, statement: str, params: Sequence[Any]) -> Row | None:
    with _cursor(database) as cursor:
        cursor.execute(statement, params)
        row: Row | None = cursor.fetchone()
    database.health_check_done = True
    return row


def _cursor(database: Any) -> Any:
    """As `database.cursor()`, with neither its check nor its kind of cursor; that one where
    statements are logged, since a prepared one has no text with the values in it."""
    if database.vendor != "postgresql" or database.queries_logged:
        return database.cursor()
    database.ensure_connection()
    if database.connection in _plain:
        return database.cursor()
    with database.wrap_database_errors:
        return database.make_cursor(_Prepared(database.connection))


def _is_dead(database: Any, error: Exception) -> bool:
    """It was there, and is no longer; one that could not be made is not tried again."""
    is_of_connection = isinstance(error, OperationalError | InterfaceError)
    return is_of_connection and database.connection is not None and not database.is_usable()
