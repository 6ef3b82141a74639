"""A thousand agents that poll every five seconds among 100,000 tickets: CPU, waits, staleness.

    scripts/with_postgres .venv/bin/python -m bench.polling

Four rounds: nothing changes; an event for every fortieth poll, which makes two answers differ, the
one that tells of it and the one after; twenty changes a second below what is offered first; twenty
a second of what is offered first, so that everybody's answer changes. Changes go over the API and
the server's CPU for them is counted, and told by itself: of the same changes with nobody polling.
`--quick` takes smaller sizes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from time import sleep, time
from typing import Any

import django

AGENTS, TICKETS, SECONDS, EVERY = 1_000, 100_000, 40.0, 5.0
CHANGES_A_SECOND = 20.0


@dataclass(slots=True)
class Changes:
    """What was taken and given back, and when: ref to spans in which it was not on offer."""

    spans: dict[str, list[list[float]]] = field(default_factory=dict)
    statuses: set[int] = field(default_factory=set)
    count: int = 0
    #: How many there were while the server's CPU was counted: not in the warming up.
    measured: int = 0

    def taken(self, ref: str) -> None:
        self.spans.setdefault(ref, []).append([time(), float("inf")])

    def given_back(self, ref: str, asked: float) -> None:
        self.spans[ref][-1][1] = asked

    def age(self, ref: str, asked: float, answered: float) -> float:
        """For how many seconds the ticket had not been on offer when somebody asked; 0 where it
        was given back before the answer came, which then may offer it."""
        spans = self.spans.get(ref, ())
        return max(
            (asked - since for since, until in spans if since <= asked and answered < until),
            default=0.0,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure polling.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="stuckbot-bench-") as folder:
        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "RATE_LIMIT": "off",
            "LOG_LEVEL": "ERROR",
        }
        django.setup()
        _run(100 if quick else AGENTS, 2_000 if quick else TICKETS, 15.0 if quick else SECONDS)


def _run(agents: int, tickets: int, seconds: float) -> None:
    from bench.seed import pollers, seed
    from bench.server import serving
    from stuckbot.site.server.startup import prepare_database

    prepare_database(print)
    seeded = seed("free", tickets)
    tokens, first = pollers(seeded, agents)
    rounds: dict[str, Callable[..., None]] = {
        "none": lambda *_: None,
        "events": partial(_tell, [f"SB-{first + place}" for place in range(agents)]),
        "below": partial(_takings, _by_urgency(seeded, "urgency")),
        "top": partial(_takings, _by_urgency(seeded, "-urgency")),
    }
    print(
        "| round | CPU cores | changes alone | unchanged | polls /s | p50 ms | p99 ms"
        " | staleness s | changes /s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with serving(workers=2) as server:
        for name, act in rounds.items():
            changes, over = Changes(), threading.Event()
            busy = threading.Thread(target=act, args=(seeded.holder, server.port, changes, over))
            busy.start()
            alone = _alone(server, seconds / 2)
            told, used = _poll(server, tokens, seconds, changes)
            over.set()
            busy.join()
            print(_row(name, told, (used / seconds, alone), changes, seconds), flush=True)


def _by_urgency(seeded: Any, order: str) -> list[str]:
    """More than one agent is offered at once, so that none is taken so often that it is noticed."""
    from tickets.models import Ticket

    rows = Ticket.objects.of(seeded.org.id).order_by(order, "id")
    return [f"SB-{number}" for number in rows.values_list("number", flat=True)[:320]]


def _alone(server: Any, seconds: float) -> float:
    """Cores that the server uses while nobody polls: its background and the changes."""
    sleep(2)  # the first changes find nothing ready
    before = server.cpu()
    sleep(seconds)
    used: float = server.cpu() - before
    return used / seconds


def _poll(
    server: Any, tokens: list[str], seconds: float, changes: Changes
) -> tuple[list[list[Any]], float]:
    """What was answered, and the CPU that the server used meanwhile; changes are counted anew."""
    command = [sys.executable, "-m", "bench.poller", str(server.port), str(seconds), str(EVERY)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as poller:
        assert poller.stdin is not None
        assert poller.stdout is not None
        assert poller.stderr is not None
        poller.stdin.write("\n".join(tokens))
        poller.stdin.close()
        if poller.stderr.readline() != "warm\n":
            raise RuntimeError(poller.stderr.read())
        before, changes.count = server.cpu(), 0
        told: list[list[Any]] = json.loads(poller.stdout.read())
        used, changes.measured = server.cpu() - before, changes.count
        return told, used


def _row(
    name: str,
    told: list[list[Any]],
    cores: tuple[float, float],
    changes: Changes,
    seconds: float,
) -> str:
    waits = sorted(one[2] * 1000 for one in told)
    statuses = [one[3] for one in told]
    if set(statuses) - {200, 304} or changes.statuses - {200, 201}:
        raise RuntimeError(f"The server answered {set(statuses)} and {changes.statuses}.")
    same = statuses.count(304) / len(statuses)
    return (
        f"| {name} | {cores[0]:.2f} | {cores[1]:.2f} | {100 * same:.0f} %"
        f" | {len(told) / seconds:.0f}"
        f" | {waits[len(waits) // 2]:.1f} | {waits[int(len(waits) * 0.99)]:.1f}"
        f" | {_staleness(told, changes):.2f} | {changes.measured / seconds:.0f} |"
    )


def _staleness(told: list[list[Any]], changes: Changes) -> float:
    """The longest time for which something that was taken was offered on."""
    worst, offered = 0.0, {}
    for agent, asked, seconds, _status, listed in told:
        if listed is not None:
            offered[agent] = listed
        worst = max([worst, *(changes.age(ref, asked, asked + seconds) for ref in offered[agent])])
    return worst


def _paced(over: threading.Event, each: float, act: Callable[[int], None]) -> None:
    due, number = time(), 0
    while not over.is_set():
        act(number)
        number += 1
        due += each
        sleep(max(0.0, due - time()))


def _tell(refs: list[str], holder: str, port: int, changes: Changes, over: Any) -> None:
    """Comments by one agent on tickets of others, so that every fortieth poll has news."""

    def act(number: int) -> None:
        body = json.dumps({"body": f"Seen {number}"}).encode()
        _post(port, f"{refs[number % len(refs)]}/comments", holder, body, changes)

    _paced(over, EVERY / len(refs) * 40, act)


def _takings(refs: list[str], holder: str, port: int, changes: Changes, over: Any) -> None:
    """One is taken, and one that was taken a while ago is given back, in turn."""
    held: list[str] = []

    fresh = cycle(refs)

    def act(number: int) -> None:
        asked = time()
        if number % 2 and len(held) > 5:
            ref, what = held.pop(0), "release"
            changes.given_back(ref, asked)
        else:
            ref, what = next(fresh), "claim"
        _post(port, f"{ref}/{what}", holder, b"{}", changes)
        if what == "claim":
            held.append(ref)
            changes.taken(ref)

    _paced(over, 1 / CHANGES_A_SECOND, act)
    for ref in held:
        _post(port, f"{ref}/release", holder, b"{}", changes)


def _post(port: int, path: str, holder: str, body: bytes, changes: Changes) -> None:
    from bench.load import ask, request

    one = request("POST", f"/api/v1/tickets/{path}", holder, body)
    try:
        status, _, _ = ask(port, one)
    except ConnectionError:  # with its key it is done once, however often it is sent
        status, _, _ = ask(port, one)
    changes.statuses.add(status)
    changes.count += 1


if __name__ == "__main__":
    main()
