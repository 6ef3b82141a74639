"""What ends: tokens, an agent's longest life, room for agents; and state files of other releases."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.interop.server import PAST, RELEASES, Server, eventually

#: From here on a state file names the registration that it is for.
NAMING = RELEASES[2:]


def _change(server: Server, table: str, column: str, value: str, name: str) -> None:
    """Sets a time of the agent of that name, once it is there."""
    agents = f"SELECT id FROM accounts_agent WHERE name = '{name}'"
    which = "id" if table == "accounts_agent" else "agent_id"
    statement = f"UPDATE {table} SET {column} = '{value}' WHERE {which} IN ({agents})"
    assert eventually(lambda: server.database.change(statement) > 0, 60)


def _ahead(**by: float) -> str:
    return (datetime.now(UTC) + timedelta(**by)).strftime("%Y-%m-%d %H:%M:%S")


@pytest.mark.parametrize("release", [RELEASES[0], RELEASES[-1]])
def test_it_renews_a_token_that_ends_soon(server: Server, release: str) -> None:
    name = f"near its end {release}"
    program = server.begin("ending.told", release, name=name)
    _change(server, "accounts_token", "expires_at", _ahead(minutes=4), name)
    assert program.result() == {
        "renewed": True,
        "same": True,
        "later": True,
        "after": False,
    }


@pytest.mark.parametrize("release", [RELEASES[0], RELEASES[-1]])
def test_it_registers_anew_once_its_token_is_over(server: Server, release: str) -> None:
    name = f"over {release}"
    program = server.begin("ending.over", release, name=name)
    _change(server, "accounts_token", "expires_at", PAST, name)
    assert program.result() == {"anew": True, "registrations": 2, "renewals": 0}


@pytest.mark.parametrize("release", [RELEASES[0], RELEASES[-1]])
def test_it_registers_anew_after_its_longest_life(server: Server, release: str) -> None:
    """No token is cut to fit: it is refused once a whole one no longer does."""
    name = f"outlived {release}"
    program = server.begin("ending.outlived", release, name=name)
    _change(server, "accounts_agent", "created_at", _ahead(days=-30), name)
    assert program.result() == {"anew": True, "codes": ["lifetime_exceeded"], "me": True}


@pytest.fixture
def full(server: Server) -> Iterator[Server]:
    server.database.change("UPDATE accounts_org SET agent_limit = 0")
    yield server
    server.database.change("UPDATE accounts_org SET agent_limit = 200")


@pytest.mark.parametrize(("release", "again"), [("0.1.1", 3), ("0.1.2", 3), ("0.1.3", 0)])
def test_a_full_org_says_nothing_of_when_to_come_back(
    full: Server, release: str, again: int
) -> None:
    told = full.run("ending.full", release)
    assert told == {"error": [429, "agent_limit", None], "again": again}


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        *((older, RELEASES[-1]) for older in NAMING[:-1]),
        *((RELEASES[-1], older) for older in (RELEASES[0], NAMING[0])),
    ],
)
def test_a_state_file_of_another_release_is_resumed(
    server: Server, tmp_path: Path, writer: str, reader: str
) -> None:
    ask = {"state_file": str(tmp_path / "state.json")}
    runs = [server.run("fleet.resumed", release, **ask) for release in (writer, reader)]
    assert [run["registrations"] for run in runs] == [1, 0]
    assert runs[0]["agent_id"] == runs[1]["agent_id"]


@pytest.mark.parametrize("older", RELEASES[:2])
def test_a_state_file_that_names_no_registration_is_left_alone(
    server: Server, tmp_path: Path, older: str
) -> None:
    """The newer release registers, and writes a file that both then read."""
    ask = {"state_file": str(tmp_path / "state.json")}
    releases = (older, RELEASES[-1], older)
    runs = [server.run("fleet.resumed", release, **ask) for release in releases]
    assert [run["registrations"] for run in runs] == [1, 1, 0]
    assert runs[0]["agent_id"] != runs[1]["agent_id"] == runs[2]["agent_id"]
