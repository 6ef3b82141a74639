"""A ticket is handed on, or it goes another way: one winner, whoever comes when."""

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.interop.server import ROOT, Server
from tests.races.checks import assert_events_in_order, assert_log_is_calm, assert_numbers_as_filed
from tests.support import make_package

ROUNDS = 6
Call = tuple[str, str, Any]


class Agent:
    """An agent of the served desk."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        made = self._send(
            ("POST", "agents/register", {"name": name}), server.org["enrollment_secret"]
        )
        self.id, self.token = made["agent"]["id"], made["token"]

    def do(self, method: str, path: str, body: Any = None) -> Any:
        return self._send((method, path, body), self.token)

    def answer(self, call: Call) -> requests.Response:
        return self._call(call, self.token)

    def _send(self, call: Call, token: str) -> Any:
        reply = self._call(call, token)
        assert reply.status_code < 300, (call[1], reply.text)
        return reply.json()

    def _call(self, call: Call, token: str) -> requests.Response:
        method, path, body = call
        url, headers = f"{self.server.url}/api/v1/{path}", {"Authorization": f"Bearer {token}"}
        return requests.request(method, url, json=body, headers=headers, timeout=60)


def at_once(calls: list[Callable[[], requests.Response]]) -> list[requests.Response]:
    """Each in a thread of its own, begun together."""
    line = threading.Barrier(len(calls))
    found: dict[int, requests.Response] = {}

    def run(place: int) -> None:
        line.wait(30)
        found[place] = calls[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    return [found[place] for place in range(len(calls))]


def held(filer: Agent, holder: Agent) -> Any:
    ticket = filer.do("POST", "tickets", {"package": make_package()})["ticket"]
    holder.do("POST", f"tickets/{ticket['ref']}/claim", {})
    proof = {"command": "npm ci", "exit_code": 0}
    sent = {"criterion": "b1", "type": "command_run", "payload": proof}
    holder.do("POST", f"tickets/{ticket['ref']}/evidence", sent)
    return ticket


def handoff(ref: str) -> Call:
    return "POST", f"tickets/{ref}/handoff", {"package": make_package(title="What is left")}


RIVALS: dict[str, tuple[Callable[[str], Call], str]] = {
    "handoff": (handoff, "handed_off"),
    "submit": (
        lambda ref: ("POST", f"tickets/{ref}/submit", {"stage": "blocker"}),
        "blocker_resolved",
    ),
    "release": (lambda ref: ("POST", f"tickets/{ref}/release", {"note": "x"}), "open"),
    "escalate": (lambda ref: ("POST", f"tickets/{ref}/escalate", {"reason": "x"}), "needs_human"),
}


@pytest.mark.parametrize("rival", sorted(RIVALS))
def test_one_of_two_acts_of_the_holder_wins(server: Server, rival: str) -> None:
    filer, holder = Agent(server, "filer"), Agent(server, "holder")
    other, ends = RIVALS[rival]
    for _ in range(ROUNDS):
        ticket = held(filer, holder)
        calls = [handoff(ticket["ref"]), other(ticket["ref"])]
        told = at_once([lambda call=call: holder.answer(call) for call in calls])  # type: ignore[misc]
        won = [one.status_code < 300 for one in told]
        assert sorted(won) == [False, True], [one.text for one in told]
        lost = told[won.index(False)]
        assert lost.status_code == 409, lost.text
        after = filer.do("GET", f"tickets/{ticket['ref']}")["ticket"]
        assert after["state"] == ("handed_off" if won[0] else ends)
        assert_one_child(server, ticket["id"], 1 if won[0] or rival == "handoff" else 0)
    assert_calm(server)


def test_it_is_handed_on_or_closed_by_a_person(server: Server) -> None:
    filer, holder = Agent(server, "filer"), Agent(server, "holder")
    person = Agent(server, "person")
    person.token = _person_token(server)
    for _ in range(ROUNDS):
        ticket = held(filer, holder)
        close: Call = ("POST", f"tickets/{ticket['ref']}/close", {})
        told = at_once(
            [
                lambda ref=ticket["ref"]: holder.answer(handoff(ref)),  # type: ignore[misc]
                lambda call=close: person.answer(call),  # type: ignore[misc]
            ]
        )
        won = [one.status_code < 300 for one in told]
        assert sorted(won) == [False, True], [one.text for one in told]
        after = filer.do("GET", f"tickets/{ticket['ref']}")["ticket"]
        assert after["state"] == ("handed_off" if won[0] else "closed")
        assert_one_child(server, ticket["id"], int(won[0]))
    assert_calm(server)


def test_it_is_handed_on_or_its_holder_retires(server: Server) -> None:
    filer = Agent(server, "filer")
    for number in range(ROUNDS):
        holder = Agent(server, f"holder {number}")
        ticket = held(filer, holder)
        told = at_once(
            [
                lambda ref=ticket["ref"], who=holder: who.answer(handoff(ref)),  # type: ignore[misc]
                lambda who=holder: who.answer(("POST", "agents/me/retire", None)),  # type: ignore[misc]
            ]
        )
        handed, retired = told
        assert retired.status_code == 200, retired.text
        assert handed.status_code in (201, 401, 409), handed.text
        after = filer.do("GET", f"tickets/{ticket['ref']}")["ticket"]
        assert after["state"] == ("handed_off" if handed.status_code == 201 else "open")
        assert_one_child(server, ticket["id"], int(handed.status_code == 201))
    assert_calm(server)


def test_a_child_is_never_left_with_an_agent_that_retired(server: Server) -> None:
    """It is kept for one that retires at the same moment: seen as gone, or dropped by it."""
    filer, holder = Agent(server, "filer"), Agent(server, "holder")
    for number in range(ROUNDS):
        chosen = Agent(server, f"chosen {number}")
        ticket = held(filer, holder)
        _, path, body = handoff(ticket["ref"])
        call: Call = ("POST", path, {**body, "for_agent": chosen.id})
        told = at_once(
            [
                lambda call=call: holder.answer(call),  # type: ignore[misc]
                lambda who=chosen: who.answer(("POST", "agents/me/retire", None)),  # type: ignore[misc]
            ]
        )
        assert told[1].status_code == 200, told[1].text
        assert told[0].status_code in (201, 422), told[0].text
    kept = server.database.rows(
        "SELECT t.number FROM tickets_ticket t JOIN accounts_agent a ON a.id = t.reserved_for_id"
        " WHERE a.retired_at IS NOT NULL"
    )
    assert kept == []
    assert_calm(server)


def test_it_is_handed_on_or_its_lease_ran_out(server: Server) -> None:
    """The holder hands on while another takes what ran out."""
    filer, holder, taker = (Agent(server, name) for name in ("filer", "holder", "taker"))
    for _ in range(ROUNDS):
        ticket = held(filer, holder)
        server.database.leases_run_out()
        take: Call = ("POST", f"tickets/{ticket['ref']}/claim", {})
        told = at_once(
            [
                lambda ref=ticket["ref"]: holder.answer(handoff(ref)),  # type: ignore[misc]
                lambda call=take: taker.answer(call),  # type: ignore[misc]
            ]
        )
        assert [one.status_code for one in told] == [409, 200], [one.text for one in told]
        assert_one_child(server, ticket["id"], 0)
        taker.do("POST", f"tickets/{ticket['ref']}/release", {})
    assert_calm(server)


def assert_one_child(server: Server, ticket_id: str, count: int) -> None:
    rows = server.database.rows("SELECT parent_id FROM tickets_ticket WHERE parent_id IS NOT NULL")
    parents = [str(one).replace("-", "") for (one,) in rows]
    assert parents.count(ticket_id.replace("-", "")) == count


def assert_calm(server: Server) -> None:
    assert_events_in_order(server)
    assert_numbers_as_filed(server)
    assert_log_is_calm(server)


def _person_token(server: Server) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", "person_token", "--email", server.org["email"]],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
