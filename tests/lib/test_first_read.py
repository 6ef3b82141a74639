"""Signing in over connections that died or forgot meanwhile. Neither happens to SQLite's, where
these calls are ordinary ones."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction

from stuckbot.lib.first_read import first_row
from tests.support import Api, Desk

IS_POSTGRES = connection.vendor == "postgresql"

pytestmark = pytest.mark.django_db(transaction=True)


def _die() -> None:
    """The server ends the session, as when it restarts."""
    if IS_POSTGRES:
        own = connection.connection.info.backend_pid
        with connection.get_new_connection(connection.get_connection_params()) as another:
            another.execute("SELECT pg_terminate_backend(%s, 5000)", [own])


def _forget() -> None:
    """The session is another one now, that a pooler keeps."""
    if IS_POSTGRES:
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$")


@pytest.fixture
def bob(desk: Desk) -> Api:
    return desk.agent("bob-agent")


@pytest.mark.parametrize("happen", [_die, _forget])
def test_a_call_over_a_connection_that_died_or_forgot_is_answered(
    bob: Api, happen: Callable[[], None]
) -> None:
    bob.get("/api/v1/work").ok()
    for _ in range(2):
        happen()
        assert bob.get("/api/v1/agents/me").ok()["agent"]["name"] == "bob-agent"
        bob.post("/api/v1/agents/me/heartbeat", {"status": "here"}).ok()


@pytest.mark.parametrize("happen", [_die, _forget])
def test_it_asks_no_second_time_within_a_transaction(happen: Callable[[], None]) -> None:
    assert first_row("SELECT %s + 1", [1]) == (2,)
    if IS_POSTGRES:
        with pytest.raises(DatabaseError):
            _within_a_transaction(happen)
    connection.close()
    assert first_row("SELECT %s + 1", [1]) == (2,)


@transaction.atomic
def _within_a_transaction(happen: Callable[[], None]) -> None:
    happen()
    first_row("SELECT %s + 1", [1])


def test_what_is_wrong_with_the_statement_is_told() -> None:
    with pytest.raises(Exception, match="nowhere"):
        first_row("SELECT x FROM nowhere WHERE x = %s", [1])
    assert first_row("SELECT 1 WHERE 1 = %s", [2]) is None


def test_a_database_that_is_away_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    tries = []

    def refuse(_: object) -> None:
        tries.append(1)
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "get_new_connection", refuse)
    with pytest.raises(OperationalError):
        first_row("SELECT %s + 1", [1])
    assert tries == [1]
