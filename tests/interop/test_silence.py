"""An agent with a watchdog is killed at its work: what it held is freed and goes on elsewhere."""

from pathlib import Path

import pytest

from tests.interop.server import PAST, RELEASES, Server, eventually
from tests.support import make_package


@pytest.mark.parametrize("release", [RELEASES[0], RELEASES[-1]])
def test_a_killed_agent_gives_its_place_to_another(
    server: Server, tmp_path: Path, release: str
) -> None:
    name = f"watched-{release}"
    token = server.run("creating.token")["token"]
    # Only so many are on offer at once, and others filed theirs before.
    package = make_package(urgency=10)
    made = server.run("creating.one", token=token, package=package, key=name)
    ask = {"ticket": made["id"], "name": name, "state": str(tmp_path / "state.json")}
    dog = server.begin("silent.holding", release, **ask)
    assert eventually(lambda: _state(server, made["id"]) == "working"), dog.result()
    dog.process.kill()
    dog.process.communicate()
    assert _state(server, made["id"]) == "working"  # its lease goes on for long
    _hours_go_by(server, name)
    taker = server.run("silent.taking", release, ticket=made["id"], name=f"next {release}")
    assert taker == {"kind": "claim", "state": "blocker_resolved"}
    events = server.database.rows(_TOLD.format(_key(server, made["id"])))
    assert [one for (one,) in events] == [
        *("ticket_created", "ticket_claimed", "update_posted", "ticket_released", "signal_raised"),
        *("ticket_claimed", "evidence_added", "stage_submitted", "stage_approved"),
    ]
    told = server.run("silent.back", release, **ask)
    refused = told.pop("refused")
    assert refused[0] == 409
    assert told == {"registrations": 0, "claims": [], "signals": ["watchdog"]}


_TOLD = "SELECT type FROM core_event WHERE ticket_id = '{}' ORDER BY seq"


def _state(server: Server, ticket_id: str) -> str:
    where = f"id = '{_key(server, ticket_id)}'"
    return str(server.database.rows(f"SELECT state FROM tickets_ticket WHERE {where}")[0][0])


def _hours_go_by(server: Server, name: str) -> None:
    """As if it had been silent for long: no policy is short enough to wait for."""
    times = f"alive_at = '{PAST}', silent_at = '{PAST}'"
    assert server.database.change(f"UPDATE accounts_agent SET {times} WHERE name = '{name}'") == 1


def _key(server: Server, ticket_id: str) -> str:
    return ticket_id.replace("-", "") if server.database.is_sqlite else ticket_id
