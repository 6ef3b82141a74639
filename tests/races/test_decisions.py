"""One decision for each submitted stage, whoever comes when, with real processes."""

import json
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest

from tests.interop.server import PAST, ROOT, Server, eventually
from tests.races.checks import assert_events_in_order, assert_log_is_calm
from tests.support import make_package

START_SECONDS = 4.0
JOBS = 10


def manage(server: Server, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.strip()


@pytest.fixture(scope="module")
def member(server: Server) -> str:
    """A member's token. Agents of the connector may verify, and the policy asks one to."""
    scopes = json.dumps(["verify", "tickets:create", "tickets:read_project"])
    more = json.dumps(["tickets:claim", "tickets:update", "evidence:submit"])
    every = json.dumps(json.loads(scopes) + json.loads(more))
    assert server.database.change(f"UPDATE accounts_connector SET scopes = '{every}'") == 1
    manage(server, "policy", "--org", server.org["org_id"], "--blocker=agent")
    return manage(server, "person_token", "--email", server.org["email"])


def reviews(server: Server, count: int) -> Any:
    return server.run("deciding.reviews", package=make_package(), count=count)


def outcomes(told: list[dict[str, str]], job: str) -> Counter[str]:
    return Counter(one[job] for one in told)


def assert_one_decision(server: Server, count: int) -> None:
    """Each job ended once, and one event tells of it."""
    jobs = server.database.rows(
        "SELECT id, state FROM verification_verification WHERE decided_at IS NOT NULL"
    )
    assert len(jobs) == count
    told = server.database.rows(
        "SELECT data FROM core_event WHERE type IN ('stage_approved', 'stage_rejected')"
    )
    ids = [(json.loads(one) if isinstance(one, str) else one)["verification_id"] for (one,) in told]
    decided = [one for one, state in jobs if state in ("approved", "rejected")]
    assert len(ids) == len(set(ids)) == len(decided)
    assert_events_in_order(server)
    assert_log_is_calm(server)


def test_one_verifier_takes_each_job(server: Server, member: str) -> None:
    found = reviews(server, JOBS)
    ask = {"reviews": found, "start_at": time.time() + START_SECONDS}
    racers = [server.begin("deciding.claims", **ask) for _ in range(3)]
    told = [one.result() for one in racers]
    for one in found:
        assert outcomes(told, one["job"]) == {"won": 1, "409 already_claimed": 2}
    assert_log_is_calm(server)


def test_one_decides_on_each_stage(server: Server, member: str) -> None:
    """Two verifiers, two members who reject, and one who closes the ticket."""
    before = len(
        server.database.rows(
            "SELECT id FROM verification_verification WHERE decided_at IS NOT NULL"
        )
    )
    found = reviews(server, JOBS)
    ask = {"reviews": found, "start_at": time.time() + START_SECONDS}
    racers = [
        server.begin("deciding.decides", decision="approve", **ask),
        server.begin("deciding.decides", decision="reject", **ask),
        server.begin("deciding.decides", decision="reject", token=member, **ask),
        server.begin("deciding.decides", decision="approve", token=member, **ask),
    ]
    told = [one.result() for one in racers]
    for one in found:
        assert outcomes(told, one["job"]) == {"won": 1, "409 invalid_transition": 3}
    assert_one_decision(server, before + JOBS)


def test_a_ticket_is_decided_or_closed(server: Server, member: str) -> None:
    found = reviews(server, JOBS)
    ask = {"reviews": found, "start_at": time.time() + START_SECONDS}
    decider = server.begin("deciding.decides", decision="reject", **ask)
    closer = server.begin("deciding.closes", token=member, **ask)
    decided, closed = decider.result(), closer.result()
    assert set(closed.values()) == {"won"}
    rows = server.database.rows("SELECT id, state FROM verification_verification")
    states = {str(job).replace("-", ""): state for job, state in rows}
    for job in (one["job"] for one in found):
        state = states[job.replace("-", "")]
        assert (state == "rejected") == (decided[job] == "won")
        assert state in ("rejected", "cancelled")
    assert_log_is_calm(server)


def test_a_verifier_decides_or_a_person_is_asked(server: Server, member: str) -> None:
    """The wait for a verifier ends while one decides: by the one or by the other."""
    manage(server, "policy", "--org", server.org["org_id"], "--verifier-wait=60")
    found = reviews(server, JOBS)
    manage(server, "policy", "--org", server.org["org_id"], "--verifier-wait=off")
    ask = {"reviews": found, "start_at": time.time() + START_SECONDS}
    decider = server.begin("deciding.decides", decision="approve", **ask)
    time.sleep(START_SECONDS)
    due = f"UPDATE core_timer SET due_at = '{PAST}' WHERE kind = 'verifier_wait'"
    assert server.database.change(due) == JOBS
    told = decider.result()
    left = "SELECT COUNT(*) FROM core_timer WHERE kind = 'verifier_wait'"
    assert eventually(lambda: server.database.rows(left) == [(0,)])
    rows = server.database.rows("SELECT id, state FROM verification_verification")
    states = {str(job).replace("-", ""): state for job, state in rows}
    for job in (one["job"] for one in found):
        ends = {"won": "approved", "409 invalid_transition": "waiting_person"}
        assert states[job.replace("-", "")] == ends[told[job]]
    assert_log_is_calm(server)


def _storm(server: Server, solvers: int, each: int) -> None:
    """Submits and decisions at once: every stage decided once, every ticket at its end."""
    solving = [
        server.begin("deciding.solves", package=make_package(), count=each, seconds=900)
        for _ in range(solvers)
    ]
    deciding = [server.begin("deciding.verifies", quiet=20) for _ in range(2)]
    submitted = sum(one.result(seconds=900) for one in solving)
    told = [one.result(seconds=900) for one in deciding]
    won = Counter(
        job
        for one in told
        for job, heard in one.items()
        for word in heard
        if word in ("approve", "reject")
    )
    assert set(won.values()) == {1}
    assert sum(won.values()) == submitted
    refused = {word for one in told for heard in one.values() for word in heard}
    assert refused <= {
        "approve",
        "reject",
        "409 invalid_transition",
        "409 already_claimed",
        "503 unavailable",
    }


def test_submits_and_decisions_race(server: Server, member: str) -> None:
    _storm(server, 2, 12)
    assert_events_in_order(server)


@pytest.mark.deep
def test_a_thousand_submits_and_decisions_race(server: Server, member: str) -> None:
    _storm(server, 4, 250)
    assert_events_in_order(server)
