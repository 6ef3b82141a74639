"""`stuckbot-runner run --once`, unmodified, each release that has it, against a running desk."""

import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from tests.interop.running import FIX, RELEASES, SOLVED, Machine, Plan
from tests.interop.server import Server

#: Split, so that this file holds no secret itself.
SECRET = "ghp_" + "R4nd0mL00k1ngT0kenF0rTh3T3stsAB12xyz9"[:36]
SOLVING = ["ticket_created", "ticket_claimed", "update_posted", "evidence_added"]
STUCK = {"outcome": "stuck", "summary": "Tried it twice.", "stuck_reason": f"denied: {SECRET}"}


@pytest.mark.parametrize("release", RELEASES)
def test_it_solves_and_delivers_a_branch(server: Server, place: Path, release: str) -> None:
    machine = Machine(server, place, release=release)
    filed = machine.file()
    machine.run()
    _assert_solved(machine, filed.ref)
    ticket = filed.ticket
    assert ticket["state"] == "blocker_resolved"
    assert filed.story() == [*SOLVING, "stage_submitted", "stage_approved"]
    (evidence,) = ticket["evidence"]
    assert (evidence["type"], evidence["result"]) == ("command_run", "pass")
    assert evidence["content"]["command"] == "test -f fixed.txt"
    progress = ticket["updates"][0]["content"]["progress"]
    branch = f"stuckbot/{filed.ref}"
    assert progress == {
        "runner": "build-box",
        "profile": "script",
        "branch": branch,
        "commit": machine.git("rev-parse", branch),
    }
    assert branch in ticket["updates"][0]["content"]["body"]


def _assert_solved(machine: Machine, ref: str) -> None:
    """Its branch has the fix and nothing else, and no other branch changed."""
    assert machine.outcomes() == ["solved"]
    branch = f"stuckbot/{ref}"
    assert machine.git("show", f"{branch}:fixed.txt") == "fixed"
    assert machine.git("diff", "--name-only", "main", branch) == "fixed.txt"
    assert machine.git("branch", "--format", "%(refname:short)").split() == ["main", branch]


def _sandbox_refused() -> str:
    """What the kernel says when it permits none; empty when it does."""
    probe = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    tried = subprocess.run(probe, capture_output=True, text=True)
    return "" if tried.returncode == 0 else tried.stderr.strip() or "no reason given"


@pytest.mark.services
@pytest.mark.parametrize("release", RELEASES)
def test_it_solves_in_a_sandbox(server: Server, place: Path, release: str) -> None:
    """Bubblewrap needs user namespaces, which some kernels and containers forbid."""
    assert shutil.which("bwrap"), "bubblewrap is missing: run scripts/debian_packages."
    if refused := _sandbox_refused():
        told = f"NOT TESTED: this kernel permits no sandbox, so the runner's was not: {refused}"
        warnings.warn(told, stacklevel=1)
        return
    # The session proves that it is shut in: no repository, no desk and no other folder in sight.
    shut_in = f'test "$PWD" = /work && ! test -e {place}/demo && ! test -e /root/.ssh && {FIX}'
    machine = Machine(server, place, (Plan(shut_in),), release=release, sandbox="bwrap")
    # Without a list: what runs in the sandbox needs none.
    machine.config["allow_commands"] = []
    filed = machine.file()
    machine.run()
    _assert_solved(machine, filed.ref)
    assert filed.state == "blocker_resolved"
    (started,) = machine.audit("session_started")
    assert started["sandbox"] == "bwrap"


def test_it_retries_where_the_checks_fail_then_asks_a_person(server: Server, place: Path) -> None:
    machine = Machine(server, place, (Plan("true"),))
    filed = machine.file()
    machine.run()
    assert machine.outcomes() == ["retry", "gave_up"]
    ticket = filed.ticket
    assert (ticket["state"], ticket["needs_person"]) == ("needs_human", True)
    assert filed.story() == [
        *("ticket_created", "ticket_claimed", "ticket_released"),
        *("ticket_claimed", "needs_human"),
    ]
    (released,) = filed.events("ticket_released")
    assert "b1: exited 1, expected 0" in released["content"]["note"]
    (asked,) = filed.events("needs_human")
    assert "No attempts are left, so a person needs to look." in asked["content"]["reason"]
    # The runner leaves it to the person from here on.
    machine.run()
    assert len(machine.outcomes()) == 2


def test_another_provider_solves_what_the_first_could_not(server: Server, place: Path) -> None:
    lazy, able = Plan("true", name="lazy"), Plan(FIX, name="able")
    machine = Machine(server, place, (lazy, able))
    filed = machine.file()
    machine.run()
    assert machine.outcomes() == ["retry", "solved"]
    assert filed.state == "blocker_resolved"
    claims = [one["profile"] for one in machine.audit("claimed")]
    assert claims == ["lazy", "able"]


def test_what_it_says_when_it_gives_up_is_masked(server: Server, place: Path) -> None:
    machine = Machine(server, place, (Plan("true", STUCK),))
    machine.config["limits"] = {"max_attempts_per_ticket": 1}
    filed = machine.file()
    machine.run()
    assert filed.state == "needs_human"
    (asked,) = filed.events("needs_human")
    reason = asked["content"]["reason"]
    assert "it got stuck: denied: " in reason
    assert "Notes from the session: Tried it twice." in reason
    assert SECRET not in str(filed.ticket) + str(filed.events())
    assert [one["where"] for one in filed.ticket["findings"]] == ["escalate.reason"]


def test_it_starts_when_a_person_approves(server: Server, place: Path) -> None:
    machine = Machine(server, place)
    machine.config["approval"] = {"all": True}
    filed = machine.file()
    machine.run()
    assert (filed.state, machine.outcomes()) == ("open", [])
    (comment,) = filed.ticket["comments"]
    assert f"stuckbot-runner approve {filed.ref}" in comment["content"]["body"]
    machine.run()
    assert len(filed.ticket["comments"]) == 1
    assert filed.ref in machine.tell("pending")
    assert machine.tell("approve", filed.ref) == f"approved {filed.ref}\n"
    machine.run()
    assert (filed.state, machine.outcomes()) == ("blocker_resolved", ["solved"])
    assert filed.ref in machine.tell("status")


def test_it_takes_no_ticket_of_a_repository_it_does_not_know(server: Server, place: Path) -> None:
    machine = Machine(server, place)
    filed = machine.file(context={"workspace": {"repo": "secret-plans"}})
    machine.run()
    assert (filed.state, machine.outcomes()) == ("open", [])
    (skipped,) = machine.audit("skipped")
    assert "'secret-plans' is not authorized" in skipped["reason"]


def test_a_ticket_without_a_repository_is_solved_in_an_empty_folder(
    server: Server, place: Path
) -> None:
    alone = Plan(f'test -z "$(ls)" && {FIX}', SOLVED)
    machine = Machine(server, place, (alone,))
    machine.config["default_workspace"] = "scratch"
    filed = machine.file(context=None)
    machine.run()
    assert (filed.state, machine.outcomes()) == ("blocker_resolved", ["solved"])
    assert filed.ticket["updates"][0]["content"]["progress"] == {
        "runner": "build-box",
        "profile": "script",
    }
