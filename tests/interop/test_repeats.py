"""Requests that the public client sends more than once."""

from pathlib import Path

from tests.interop.server import PATIENCE, Server, eventually
from tests.support import make_package


def test_it_replays_a_create_across_tokens(server: Server) -> None:
    told = server.run("creating.replayed", package=make_package(), key="replayed-1")
    assert told["replayed"] == [False, True, True]
    assert told["answers"][0] == told["answers"][1] == told["answers"][2]
    assert told["other"] == [422, "idempotency_key_reused"]


def test_it_makes_one_ticket_of_twins_that_run_at_once(server: Server, tmp_path: Path) -> None:
    """The second hears that the first still runs, waits as told, and gets the same ticket."""
    ask = {
        "token": server.run("creating.token")["token"],
        "package": make_package(),
        "key": "twins-1",
        "waits_file": str(tmp_path / "waits"),
    }
    with server.database.writers_held():
        twins = [server.begin("creating.one", **ask) for _ in range(2)]
        assert eventually((tmp_path / "waits").exists, PATIENCE), "Neither was told to wait."
    told = [twin.result() for twin in twins]
    assert told[0]["id"] == told[1]["id"]
    assert sorted(one["replayed"] for one in told) == [False, True]
    assert {wait for one in told for wait in one["waits"]} == {1.0}


def test_it_registers_once_under_one_key(server: Server) -> None:
    told = server.run("creating.registered_twice", key="register-1")
    assert told["agents"][0] == told["agents"][1]
    assert [status for status, _ in told["tries"]] == [401, 200]
