"""The day itself: who lives it, in which order, and what is looked at on the way."""

import heapq
import random
from datetime import timedelta
from functools import partial
from typing import Any

from accounts.models import Org
from accounts.services.orgs import policy_touched, project_make
from policy.models import Policy
from stuckbot.lib import clock
from tests.simulation import agents, people
from tests.simulation.agents import Step, agent_make, agent_step, choose
from tests.simulation.checks import checkpoint, colours, nothing_is_lost
from tests.simulation.faults import Faults, swept
from tests.simulation.people import person_make
from tests.simulation.world import MORNING, Being, World
from tests.support import Desk

FILING = timedelta(hours=14)
WHOLE = timedelta(hours=24)
SWEEP = timedelta(minutes=8)
LONGEST_LEASE = timedelta(hours=1)
CHECKPOINTS = 4


class Day:
    """`crowd` agents, `tickets` tickets, from the seed alone."""

    def __init__(self, desk: Desk, traveller: Any, seed: int, *, crowd: int, tickets: int) -> None:
        faults = Faults(random.Random(seed + 1))
        self.world = World(desk, traveller, seed, faults, random.Random(seed))
        self.crowd, self.wanted = crowd, tickets
        self._queue: list[tuple[float, int, Being, dict[Step, float]]] = []
        self._count = 0
        #: At the end, by reason: the tickets that are closed, or wait.
        self.waiting: dict[str, list[str]] = {}

    def live(self) -> None:
        world = self.world
        self._settle()
        sweep_at = MORNING
        check_at = MORNING + WHOLE / CHECKPOINTS
        while self._queue:
            at, _, being, habits = heapq.heappop(self._queue)
            moment = MORNING + timedelta(seconds=at)
            if moment > MORNING + WHOLE:
                break
            while sweep_at <= moment:
                world.move_to(sweep_at)
                swept(world.faults, partial(_count, world))
                sweep_at += SWEEP
            if moment >= check_at:
                self._sweep_clean()
                checkpoint(world)
                check_at += WHOLE / CHECKPOINTS
            world.move_to(moment)
            self._act(being, habits)
        self._evening()

    def _settle(self) -> None:
        world, desk = self.world, self.world.desk
        Org.objects.filter(id=desk.org.id).update(agent_limit=self.crowd * 20)
        for name, rules in _PROJECTS.items():
            project = project_make(org=desk.org, name=name, now=clock.now())
            world.projects.append(str(project.id))
            Policy.unscoped.create(org=desk.org, project=project, **rules)
        Policy.unscoped.create(org=desk.org, **_BUDGETS)
        policy_touched(org_id=desk.org.id)
        for name in ("alice", "bob"):
            self._join(person_make(world, name), {})
        for number in range(self.crowd):
            # Not all at once: the desk takes so many calls of one secret in a moment.
            world.move_to(world.now + timedelta(milliseconds=100))
            self._arrive(number)

    def _arrive(self, number: int) -> None:
        """Of ten agents three file, six solve, and one checks."""
        kind = "fffssssssv"[number % 10]
        if kind == "v":
            scopes = ["verify", "tickets:read_project", "tickets:update"]
            being = agent_make(self.world, f"verifier-{number}", scopes=scopes)
            return self._join(being, agents.CHECKER)
        capabilities = {"watchdog": True} if number % 3 == 0 else {}
        name = {"f": "filer", "s": "solver"}[kind]
        being = agent_make(self.world, f"{name}-{number}", capabilities=capabilities)
        return self._join(being, agents.FILER if kind == "f" else agents.IDLE)

    def _join(self, being: Being, habits: dict[Step, float]) -> None:
        self._later(being, habits, self.world.chance.uniform(0, 900))

    def _later(self, being: Being, habits: dict[Step, float], seconds: float) -> None:
        self._count += 1
        at = (self.world.now - MORNING).total_seconds() + seconds
        heapq.heappush(self._queue, (at, self._count, being, habits))

    def _act(self, being: Being, habits: dict[Step, float]) -> None:
        world = self.world
        if being.is_person:
            choose(world, people.PERSON)(world, being)
            return self._later(being, habits, world.chance.expovariate(self.crowd / 18_000))
        self._agent(being, habits)
        if being.is_gone:
            number = self._count
            return self._arrive_as(habits, number)
        rest = world.sleep.pop(being.name, None)
        if rest is not None:
            return self._later(being, habits, (rest - world.now).total_seconds())
        pace = 120 if being.held else self._wait(habits)
        return self._later(being, habits, world.chance.expovariate(1 / pace))

    def _arrive_as(self, habits: dict[Step, float], number: int) -> None:
        """Another in the place of one that is gone."""
        kind = {id(agents.FILER): 0, id(agents.IDLE): 3, id(agents.CHECKER): 9}[id(habits)]
        self._arrive(10 * number + kind)

    def _agent(self, being: Being, habits: dict[Step, float]) -> None:
        world = self.world
        done = len(world.tickets) >= self.wanted and habits is agents.FILER
        agent_step(world, being, agents.LISTENER if done else habits)

    def _wait(self, habits: dict[Step, float]) -> float:
        """Seconds between two acts, such that the wanted tickets are filed in time."""
        if habits is agents.FILER:
            filers = max(1, self.crowd * 3 // 10)
            return FILING.total_seconds() * filers / self.wanted * 0.6
        return 1800

    def _evening(self) -> None:
        """Whoever is there works off what is left; then everybody goes, and the desk is looked at
        once the longest lease is over."""
        world = self.world
        end = MORNING + WHOLE
        for step in range(EVENING_STEPS):
            world.move_to(end + step * timedelta(minutes=2))
            swept(world.faults, partial(_count, world))
            self._evening_round()
        world.move_to(world.now + LONGEST_LEASE)
        self._sweep_clean()
        for being in world.beings:
            self._hear_out(being)
        checkpoint(world)
        reader = next(one for one in world.beings if one.is_person)
        self.waiting = colours(world, reader, world.now)
        nothing_is_lost(world, self.waiting)

    def _evening_round(self) -> None:
        world = self.world
        for being in [one for one in world.beings if not one.is_gone]:
            world.move_to(world.now)
            if not being.is_person and world.now >= being.renew_at:
                agents.token_renew(world, being)
            if being.is_person:
                choose(world, people.EVENING)(world, being)
            elif "verify" in being.scopes:
                agents.verify(world, being)
            elif being.held:
                agents.work_on(world, being)
            else:
                agents.look_for_work(world, being)

    def _hear_out(self, being: Being) -> None:
        """Polls until nothing is left to hear."""
        if being.is_gone or "tickets:read_project" not in being.scopes:
            return
        before = -1
        while len(being.heard) != before:
            before = len(being.heard)
            being.etag = None
            agents.poll(self.world, being)

    def _sweep_clean(self) -> None:
        """The worker as it is when nothing befalls it, until it has nothing to do."""
        faults, self.world.faults = self.world.faults, Faults(random.Random(0), 0, 0, 0, 0, 0)
        for _ in range(20):
            self.world.move_to(self.world.now + timedelta(seconds=90))
            swept(self.world.faults, partial(_count, self.world))
        self.world.faults = faults


def _count(world: World, what: str) -> None:
    world.counts[what] += 1


EVENING_STEPS = 13
_BUDGETS: dict[str, object] = {"budget_tokens_soft": 300_000, "budget_tokens_hard": 600_000}
_PROJECTS: dict[str, dict[str, object]] = {
    "Free": {"lease_minutes": 15},
    "Checked": {"blocker": "agent", "task": "agent", "lease_minutes": 10},
    "Seen": {"blocker": "person", "task": "automatic", "max_rejections": 2},
    "Both": {
        "blocker": "agent_then_person",
        "task": "agent_then_person",
        "verifier_wait_minutes": 60,
        "lease_minutes": 5,
    },
}
