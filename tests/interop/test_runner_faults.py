"""The official runner where things go wrong: killed, too late, and with the desk gone meanwhile."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.interop.running import (
    FIX,
    RELEASES,
    Machine,
    Plan,
    finished,
    is_alive,
    kill,
    person,
)
from tests.interop.server import Server, eventually, served

#: A session that goes on until the test says so, or for ever.
ENDLESS = "touch begun; exec sleep 600"
UNTIL_TOLD = f"touch begun; until test -e go; do sleep 0.1; done; rm begun go; {FIX}"


@pytest.mark.parametrize("release", RELEASES)
def test_a_killed_runner_begins_again(server: Server, place: Path, release: str) -> None:
    machine = Machine(server, place, (Plan(ENDLESS),), release=release)
    filed = machine.file()
    runner = machine.begin()
    machine.workplace()
    left = _session(machine)
    kill(runner)
    assert is_alive(left), "Without a sandbox the session outlives its runner."
    assert filed.ticket["claim"] is not None
    machine.plans = (Plan(FIX),)
    machine.run()
    assert eventually(lambda: not is_alive(left))
    assert machine.outcomes() == ["interrupted", "solved"]
    (recovered,) = machine.audit("recovered")
    assert recovered["note"] == "stopped the leftover session; released the ticket"
    assert filed.state == "blocker_resolved"
    (released,) = filed.events("ticket_released")
    assert "The session was stopped and the ticket is free again." in released["content"]["note"]
    assert machine.git("show", f"stuckbot/{filed.ref}:fixed.txt") == "fixed"


def _session(machine: Machine) -> int:
    """The process id of the session under way, as the runner wrote it down."""
    running = "SELECT pid FROM runs WHERE state = 'running'"

    def pids() -> list[int]:
        with closing(sqlite3.connect(machine.state / "runner.db", timeout=30)) as file:
            return [pid for (pid,) in file.execute(running) if pid]

    assert eventually(lambda: bool(pids()))
    return pids()[0]


def test_a_killed_runner_whose_lease_ran_out_takes_its_ticket_anew(
    server: Server, place: Path
) -> None:
    """The desk gave the ticket back long before the runner is started again."""
    machine = Machine(server, place, (Plan(ENDLESS),))
    filed = machine.file()
    runner = machine.begin()
    machine.workplace()
    _session(machine)
    kill(runner)
    _lease_over(server, filed.ticket["id"])
    assert eventually(lambda: filed.state == "open")
    machine.plans = (Plan(FIX),)
    machine.run()
    (recovered,) = machine.audit("recovered")
    assert recovered["note"].endswith("ticket is open, not held by this runner")
    assert (filed.state, machine.outcomes()[1]) == ("blocker_resolved", "solved")
    ends = ["ticket_claimed", "claim_expired", "ticket_claimed"]
    assert [one for one in filed.story() if "claim" in one] == ends


def test_what_comes_after_the_lease_is_lost_changes_nothing(server: Server, place: Path) -> None:
    """Another holds the ticket when the session is done: nothing of it is taken."""
    machine = Machine(server, place, (Plan(UNTIL_TOLD),))
    filed = machine.file()
    runner = machine.begin()
    work = machine.workplace()
    _lease_over(server, filed.ticket["id"])
    assert eventually(lambda: filed.state == "open")
    alice = person(server)
    alice.post(f"/tickets/{filed.ref}/claim")
    (work / "go").touch()
    finished(runner)
    ticket = filed.ticket
    assert ticket["state"] == "claimed"
    assert ticket["claim"]["holder"]["kind"] == "person"
    assert (ticket["updates"], ticket["evidence"]) == ([], [])
    assert filed.events("stage_submitted", "ticket_released") == []
    (error,) = machine.audit("session_error")
    assert "not_claim_holder" in error["error"]
    # What it made is kept where a person may look at it.
    assert machine.git("show", f"stuckbot/{filed.ref}:fixed.txt") == "fixed"


def _lease_over(server: Server, ticket_id: str) -> None:
    key = ticket_id.replace("-", "") if server.database.is_sqlite else ticket_id
    assert server.database.leases_run_out(f"id = '{key}'") == 1


def test_a_session_outlives_a_restart_of_the_desk(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A desk of its own, stopped and started while the session works."""
    with served(tmp_path_factory.mktemp("restarted")) as desk:
        machine = Machine(desk, place, (Plan(UNTIL_TOLD),))
        filed = machine.file()
        runner = machine.begin()
        work = machine.workplace()
        desk.stop()
        desk.start()
        assert filed.ticket["claim"] is not None
        (work / "go").touch()
        finished(runner)
        assert (filed.state, machine.outcomes()) == ("blocker_resolved", ["solved"])


def test_a_stopped_runner_gives_its_ticket_back(server: Server, place: Path) -> None:
    """As an operator ends it: the session is stopped, the ticket free, its agent retired."""
    machine = Machine(server, place, (Plan(ENDLESS),))
    machine.config["limits"] = {"drain_seconds": 0}
    filed = machine.file()
    runner = machine.begin()
    machine.workplace()
    _session(machine)
    runner.terminate()
    finished(runner)
    assert (filed.state, machine.outcomes()) == ("open", ["shutdown"])
    (released,) = filed.events("ticket_released")
    assert "The runner is shutting down" in released["content"]["note"]
