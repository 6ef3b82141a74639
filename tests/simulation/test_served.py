"""The behaviours of a day at a running server, whose parts are killed at random all the while."""

import json
import random
import threading
import time
from pathlib import Path
from typing import Any, cast

import pytest

from tests.interop.server import Server, eventually, served
from tests.interop.verifying import manage
from tests.races.checks import assert_events_in_order, assert_numbers_as_filed
from tests.races.processes import KINDS, Killer
from tests.simulation import agents, people
from tests.simulation.agents import Step, agent_make, agent_step, choose
from tests.simulation.faults import Faults
from tests.simulation.served_desk import HttpApi, ServedDesk, ServedWorld
from tests.simulation.world import Being

SEED = 7
SECONDS = 90.0
CROWD = {"filer": 3, "solver": 7, "verifier": 2}
HABITS = {"filer": agents.FILER, "solver": agents.IDLE, "verifier": agents.CHECKER}
_SETTING = """
from accounts.models import Connector, Org
from accounts.services.orgs import policy_touched, project_make
from accounts.states import SCOPES
from policy.models import Policy
from stuckbot.lib import clock
org = Org.objects.get()
Org.objects.update(agent_limit=10000)
Connector.objects.of(org.id).update(scopes=sorted(SCOPES))
for kind in ("automatic", "agent", "person"):
    project = project_make(org=org, name=kind, now=clock.now())
    Policy.unscoped.create(org=org, project=project, blocker=kind, task=kind)
    print("project", project.id)
policy_touched(org_id=org.id)
"""
_LOOK = """
import json
from accounts.models import Org
from tests.simulation.checks import rows_faults
print("FAULTS" + json.dumps(rows_faults(Org.objects.get().id, moved_leases=True)))
"""


@pytest.mark.deep
def test_it_stays_in_order_while_its_parts_are_killed(tmp_path: Path) -> None:
    with served(tmp_path, RATE_LIMIT="off") as server:
        world = _world(server)
        crowd = _crowd(world, server)
        over = threading.Event()
        failed: list[BaseException] = []
        threads = [
            threading.Thread(target=_life, args=(world, being, habits, over, failed))
            for being, habits in crowd
        ]
        with Killer(server, seed=SEED, longest_pause=1.5) as killer:
            for thread in threads:
                thread.start()
            _run_out(server, world.chance, time.monotonic() + SECONDS)
            over.set()
            for thread in threads:
                thread.join()
        assert failed == []
        assert set(killer.killed) == set(KINDS)
        _all_over(server)
        assert json.loads(manage(server, "shell", "-c", _LOOK).rpartition("FAULTS")[2]) == []
        for being, _ in crowd:
            _assert_heard(server, world, being)
        assert_events_in_order(server)
        assert_numbers_as_filed(server)
        assert len(world.tickets) >= 20


def _world(server: Server) -> ServedWorld:
    told = manage(server, "shell", "-c", _SETTING).split()
    faults = Faults(random.Random(SEED), lost=0.05)
    desk = cast(Any, ServedDesk(server))
    world = ServedWorld(desk, None, SEED, faults, random.Random(SEED))
    world.projects += [told[at + 1] for at, word in enumerate(told) if word == "project"]
    return world


def _crowd(world: ServedWorld, server: Server) -> list[tuple[Being, dict[Step, float]]]:
    found: list[tuple[Being, dict[Step, float]]] = []
    for kind, count in CROWD.items():
        scopes = {"scopes": ["verify", "tickets:read_project"]} if kind == "verifier" else {}
        for number in range(count):
            found.append((agent_make(world, f"{kind}-{number}", **scopes), HABITS[kind]))
    token = manage(server, "person_token", "--email", server.org["email"]).split()[-1]
    api = HttpApi(token, url=server.url)
    boss = Being("alice", api, "", is_person=True)
    world.beings.append(boss)
    return [*found, (boss, people.PERSON)]


def _life(
    world: ServedWorld,
    being: Being,
    habits: dict[Step, float],
    over: threading.Event,
    failed: list[BaseException],
) -> None:
    try:
        while not over.is_set() and not being.is_gone:
            if being.is_person:
                choose(world, habits)(world, being)
            else:
                agent_step(world, being, _LASTING if habits is agents.IDLE else habits)
            over.wait(world.chance.uniform(0, 0.2))
    except BaseException as error:
        failed.append(error)
        raise


#: Nobody takes the place of one that is gone here.
_LASTING = {step: share for step, share in agents.IDLE.items() if step is not agents.die}


def _run_out(server: Server, chance: random.Random, until: float) -> None:
    """Leases end early now and then, since none is short enough to wait for."""
    while time.monotonic() < until:
        time.sleep(chance.uniform(1, 4))
        server.database.leases_run_out("claim_id IS NOT NULL AND number % 3 = 0")


def _all_over(server: Server) -> None:
    """The worker comes back, and ends all that is left to end."""
    live = "SELECT COUNT(*) FROM tickets_ticket WHERE claim_id IS NOT NULL"

    def none_left() -> bool:
        server.database.leases_run_out()
        return server.database.rows(live) == [(0,)]

    assert eventually(none_left, seconds=120)


def _assert_heard(server: Server, world: ServedWorld, being: Being) -> None:
    """All of its inbox up to where it read, each once and in order, over every kill."""
    assert being.heard == sorted(set(being.heard)), being.name
    if being.is_person or not being.heard:
        return
    key = being.id.replace("-", "") if server.database.is_sqlite else being.id
    rows = server.database.rows(
        f"SELECT seq FROM core_inbox WHERE actor_id = '{key}' AND seq <= {being.heard[-1]}"
    )
    assert {seq for (seq,) in rows} == set(being.heard), being.name
