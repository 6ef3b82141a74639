"""The official runner is told to stop: by a budget or by a person, and hands on what it cannot do.

It hears of that with its heartbeat, once a minute, so all of these sessions run at the same time.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.interop.running import FIX, Filed, Machine, Plan, finished, person
from tests.interop.server import Server
from tests.interop.verifying import manage
from tests.support import make_package

#: Two cents by the profile's prices, and 20,000 tokens.
SPENDING = """echo '{"usage": {"input": 20000}}'; touch begun; exec sleep 600"""
_PROJECTS = """
from accounts.models import Org
from accounts.services.orgs import policy_touched, project_make
from policy.models import Policy
from stuckbot.lib import clock
org = Org.objects.get()
for name, limit in (("tokens", "budget_tokens_soft"), ("cost", "budget_cost_hard"), ("free", "")):
    project = project_make(org=org, name=name, now=clock.now())
    if limit:
        Policy.unscoped.create(org=org, project=project, **{limit: 1})
    print(name, project.id)
policy_touched(org_id=org.id)
"""


@dataclass
class Under:
    """A runner under way with the ticket it works on."""

    machine: Machine
    filed: Filed
    process: "subprocess.Popen[str]"

    @property
    def asked(self) -> Any:
        finished(self.process, seconds=300)
        (event,) = self.filed.events("needs_human")
        return event


@pytest.fixture(scope="module")
def under(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Under]:
    """One over its soft limit, one over its hard limit, one that a person stops."""
    told = manage(server, "shell", "-c", _PROJECTS).split()
    found = {}
    for name in ("tokens", "cost", "free"):
        machine = Machine(server, tmp_path_factory.mktemp(name) / "m", (Plan(SPENDING),))
        machine.config["limits"] = {"max_attempts_per_ticket": 1}
        filed = machine.file(project_id=told[told.index(name) + 1])
        found[name] = Under(machine, filed, machine.begin())
    for one in found.values():
        one.machine.workplace()
    stopped = found["free"]
    holder = stopped.filed.ticket["claim"]["holder"]["id"]
    body = {"kind": "stop", "message": "We need the machine"}
    person(server).post(f"/agents/{holder}/requests", body)
    return found


def _killed(one: Under) -> str:
    (stopping,) = one.machine.audit("session_stopping")
    return str(stopping["reason"])


def _told(one: Under) -> list[str]:
    """What the ticket tells of the wish and of its answer."""
    story = one.filed.story()
    return [name for name in story if "request" in name or name == "needs_human"]


def test_their_sessions_begin(under: dict[str, Under]) -> None:
    """Until a minute is over the tests that follow have the time."""
    assert [one.filed.state for one in under.values()] == ["claimed"] * 3


def test_a_handoff_result_becomes_a_child(server: Server, place: Path) -> None:
    left = make_package(title="What is left of it", blocker_criteria=_CHECK, labels=None)
    result = {"outcome": "handoff", "summary": "Half done.", "handoff": left}
    machine = Machine(server, place, (Plan("echo half > half.txt", result),))
    filed = machine.file()
    left["labels"] = [machine.label]
    machine.run()
    assert (filed.state, machine.outcomes()) == ("handed_off", ["handoff"])
    (event,) = filed.events("ticket_handed_off")
    child = Filed(filed.stuck, event["data"]["child"]["ref"])
    ticket = child.ticket
    assert (ticket["state"], ticket["depth"]) == ("open", 1)
    assert (ticket["root_id"], ticket["parent_id"]) == (filed.ticket["id"],) * 2
    branch = f"stuckbot/{filed.ref}"
    workspace = ticket["content"]["package"]["context"]["workspace"]
    assert workspace == {
        "repo": "demo",
        "branch": branch,
        "commit": machine.git("rev-parse", branch),
    }
    # The next run goes on from there.
    machine.plans = (Plan(f"test -f half.txt && {FIX}"),)
    machine.run()
    assert (child.state, machine.outcomes()) == ("blocker_resolved", ["handoff", "solved"])


def test_a_refused_handoff_leaves_the_ticket_to_a_person(server: Server, place: Path) -> None:
    result = {"outcome": "handoff", "summary": "Half done.", "handoff": {"title": "Rest"}}
    machine = Machine(server, place, (Plan("true", result),))
    machine.config["limits"] = {"max_attempts_per_ticket": 1}
    filed = machine.file()
    machine.run()
    assert (filed.state, machine.outcomes()) == ("needs_human", ["gave_up"])
    (asked,) = filed.events("needs_human")
    assert "StuckBot refused the package (invalid_request)" in asked["content"]["reason"]


_CHECK = [
    {
        "description": "The file is there",
        "method": "command",
        "command": "test -f fixed.txt",
        "expected": "exits 0",
    }
]


def test_a_soft_limit_asks_it_to_hand_off(under: dict[str, Under]) -> None:
    one = under["tokens"]
    assert "StuckBot's budget or watchdog asked it to hand off" in one.asked["content"]["reason"]
    assert _killed(one) == "handoff_requested"
    assert _told(one) == ["handoff_requested", "needs_human", "request_acknowledged"]
    assert one.filed.state == "needs_human"


def test_a_hard_limit_stops_it(under: dict[str, Under]) -> None:
    one = under["cost"]
    assert "StuckBot asked it to stop" in one.asked["content"]["reason"]
    assert _killed(one) == "stop_requested"
    # To stop is said to the agent, of no ticket; that it answered is seen on the ticket.
    assert _told(one) == ["needs_human", "request_acknowledged"]


def test_a_person_stops_it(under: dict[str, Under]) -> None:
    one = under["free"]
    assert "StuckBot asked it to stop" in one.asked["content"]["reason"]
    assert _killed(one) == "stop_requested"
    assert one.filed.state == "needs_human"
