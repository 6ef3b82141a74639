"""How long a claim takes when many agents want the same tickets at the same moment.

    python -m bench.race [--racers 32] [--tickets 200]

Runs `manage.py serve` on SQLite, or on a fresh database of the PostgreSQL that DATABASE_URL names,
and prints one line. Every racer asks for every ticket, in the same order, with no pause between.
"""

import argparse
import http.client
import json
import multiprocessing
import tempfile
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from tests.interop.server import Server, served

PROCESSES = 4  # one process of threads would measure its own interpreter lock
START_SECONDS = 1.0
PACKAGE = {
    "title": "The image service cannot be built",
    "human_summary": {
        "problem": "The build is missing Python.",
        "impact": "Nothing can be tested.",
        "next_step": "Add the build tools and build again.",
    },
    "objective": "Ship the image service",
    "stuck_reason": "npm ci fails: find Python",
    "completed": ["The unit tests pass"],
    "remaining": ["Build the image"],
    "attempts": [{"what": "npm ci --ignore-scripts", "result": "fails at run time"}],
    "next_steps": ["Add python3"],
    "blocker_criteria": [
        {
            "description": "A clean install works",
            "method": "command",
            "command": "npm ci",
            "expected": "exits 0",
        }
    ],
    "mode": "blocker_only",
}


@dataclass(frozen=True)
class Group:
    """The racers of one process, and what they race for."""

    port: int
    tokens: list[str]
    tickets: list[str]
    start_at: float


@dataclass
class Claims:
    """Seconds and outcomes of every claim that was tried."""

    won: list[float]
    lost: list[float]
    other: Counter[str]


class Caller:
    """One agent's connection, kept open."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        headers = {**self._headers, "Idempotency-Key": str(uuid.uuid4())}
        self._connection.request("POST", f"/api/v1{path}", json.dumps(body), headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())


def race(server: Server, *, racers: int, tickets: int) -> Claims:
    """Lets every racer try every ticket."""
    secret = server.org["enrollment_secret"]
    tokens = [_register(server.port, secret, f"racer {number}") for number in range(racers)]
    filer = Caller(server.port, _register(server.port, secret, "filer"))
    filed = [_ok(filer.post("/tickets", {"package": PACKAGE}))["ticket"] for _ in range(tickets)]
    ids = [ticket["id"] for ticket in filed]
    with _processes() as pool:
        start_at = time.time() + START_SECONDS
        groups = [Group(server.port, tokens[n::PROCESSES], ids, start_at) for n in range(PROCESSES)]
        tries = [one for part in pool.map(_race_group, groups) for one in part]
    claims = Claims([], [], Counter())
    for code, seconds in tries:
        if code == "won":
            claims.won.append(seconds)
        elif code == "409 already_claimed":
            claims.lost.append(seconds)
        else:
            claims.other[code] += 1
    return claims


def _processes() -> Pool:
    return multiprocessing.get_context("spawn").Pool(PROCESSES)


def _race_group(group: Group) -> list[tuple[str, float]]:
    tries: list[tuple[str, float]] = []
    threads = [
        threading.Thread(target=_race_one, args=(group, token, tries)) for token in group.tokens
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tries


def _race_one(group: Group, token: str, tries: list[tuple[str, float]]) -> None:
    caller = Caller(group.port, token)
    time.sleep(max(0.0, group.start_at - time.time()))
    for ticket in group.tickets:
        began = time.perf_counter()
        status, body = caller.post(f"/tickets/{ticket}/claim", {"execution_target": "external"})
        seconds = time.perf_counter() - began
        tries.append(("won" if status == 200 else f"{status} {body['error']['code']}", seconds))


def _register(port: int, secret: str, name: str) -> str:
    return str(_ok(Caller(port, secret).post("/agents/register", {"name": name}))["token"])


def _ok(answer: tuple[int, Any]) -> Any:
    status, body = answer
    if status >= 300:
        raise RuntimeError(f"{status}: {body}")
    return body


def percentile(seconds: list[float], percent: float) -> float:
    """In milliseconds; 0 of nothing."""
    ordered = sorted(seconds)
    return 1000 * ordered[int(percent / 100 * (len(ordered) - 1))] if ordered else 0.0


def summary(claims: Claims, *, database: str, racers: int, tickets: int) -> str:
    both = claims.won + claims.lost
    parts = [f"claim race on {database}: {racers} racers x {tickets} tickets:"]
    for name, seconds in (("all", both), ("winners", claims.won), ("losers", claims.lost)):
        numbers = [f"p{percent} {percentile(seconds, percent):.0f}" for percent in (50, 99)]
        parts.append(f"{name} {' '.join(numbers)} max {percentile(seconds, 100):.0f} ms;")
    parts.append(f"won {len(claims.won)}, lost {len(claims.lost)}, other {dict(claims.other)}")
    return " ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--racers", type=int, default=32)
    parser.add_argument("--tickets", type=int, default=200)
    asked = parser.parse_args()
    size = {"racers": asked.racers, "tickets": asked.tickets}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), RATE_LIMIT="off") as server,
    ):
        claims = race(server, **size)
        database = "SQLite" if server.database.is_sqlite else "PostgreSQL"
    print(summary(claims, database=database, **size))


if __name__ == "__main__":
    main()
