"""Fills an org with tickets in shapes that are hard on finding work.

Rows go in through the models in batches, past the services: 100,000 tickets in some seconds.
All tickets of an org share one title, for a text weighs the same wherever it stands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from accounts.models import Actor, Org
from accounts.services.orgs import direct_key_make, org_make, project_make, system_caller
from accounts.sign_in import AGENT_KINDS, sign_in
from accounts.states import WORK_SCOPES
from bench.bulk import insert_alike
from stuckbot.lib import clock, ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import prepare
from stuckbot.lib.masking import mask_text
from stuckbot.lib.models import Content, OrgClock
from tickets.models import Claim, Tag, Ticket
from tickets.offers import WorkFilter
from tickets.services.wordsets import wordset_id
from tickets.states import State

LEASE: Final = timedelta(hours=6)
SKILLSETS: Final = 100
#: Of this many tickets one is what the shape makes rare.
RARE: Final = 1_000

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seeded:
    """An org full of tickets, and the bearers who file, hold and look for them."""

    org: Org
    filer: str
    holder: str
    seeker: str
    #: The seeker, and what it asks for in this shape.
    actor: Caller
    wish: WorkFilter


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the rows of a shape point at."""

    org: Org
    rare_project: UUID
    title: Content
    filer_id: UUID
    holder_id: UUID
    now: datetime

    @property
    def project(self) -> UUID:
        assert self.org.default_project_id is not None
        return self.org.default_project_id


def _leased(ground: _Ground, place: int) -> Columns:
    """Mostly leased: one in twenty can be taken."""
    if place % 20 == 0:
        return {}
    return {
        "state": State.CLAIMED,
        "solver_id": ground.holder_id,
        "claim_id": ids.uuid7(),
        "lease_until": ground.now + LEASE,
        "lease_seconds": int(LEASE.total_seconds()),
        "live_until": ground.now + LEASE,
        "offer_at": ground.now + LEASE,
    }


def _project(ground: _Ground, place: int) -> Columns:
    """The seeker reads a project with a thousandth of the tickets."""
    return {"project_id": ground.rare_project} if place % RARE == 0 else {}


def _label(_ground: _Ground, _place: int) -> Columns:
    """The seeker wants a label that a thousandth of the tickets have."""
    return {}


def _skills(ground: _Ground, place: int) -> Columns:
    """Nearly all tickets need skills that the seeker lacks."""
    words = ("python",) if place % RARE == 0 else (f"skill-{place % SKILLSETS}",)
    return {"skillset_id": wordset_id(ground.org.id, "skills", words)}


def _dependencies(_ground: _Ground, place: int) -> Columns:
    """Nearly all tickets wait for others."""
    return {} if place % RARE == 0 else {"open_deps": 1 + place % 5}


def _free(_ground: _Ground, _place: int) -> Columns:
    return {}


#: The five shapes that finding work is measured in.
SHAPES: Final[dict[str, Callable[[_Ground, int], Columns]]] = {
    "leased": _leased,
    "project": _project,
    "label": _label,
    "skills": _skills,
    "dependencies": _dependencies,
}


def seed(shape: str, count: int) -> Seeded:
    """A fresh org with `count` tickets in one of `SHAPES`, or all of them free for `free`."""
    now = clock.now()
    with transaction.atomic():
        _trust()
        org = org_make(name=f"Bench {shape} {ids.base62(6)}", now=now)
        keys = {name: _agent(org, name, now) for name in ("filer", "holder", "seeker")}
        ground = _ground(org, keys, now)
        shape_columns = SHAPES.get(shape, _free)
        rows = [_row(ground, n) | shape_columns(ground, n) for n in range(1, count + 1)]
        _insert(ground, rows)
        if shape == "label":
            _tag(ground, rows)
        OrgClock.objects.of(org.id).update(ticket_no=count, offer_seq=count)
    _settle()
    signed = sign_in(f"Bearer {keys['seeker']}", kinds=AGENT_KINDS, now=clock.now())
    return Seeded(org, **keys, actor=signed.caller, wish=_wish(shape, ground))


def pollers(seeded: Seeded, count: int) -> tuple[list[str], int]:
    """The keys of so many agents more, each with a ticket of its own that nobody is offered first;
    and the number of the first of those tickets."""
    now, org = clock.now(), seeded.org
    with transaction.atomic():
        keys = [_agent(org, f"poller {number}", now) for number in range(count)]
        actors = Actor.objects.of(org.id).filter(name__startswith="poller ").order_by("id")
        ground = _ground_of(seeded, now)
        first = OrgClock.objects.of(org.id).get().ticket_no + 1
        rows = [
            _row(ground, first + place) | {"creator_id": actor.id, "urgency": 1}
            for place, actor in enumerate(actors)
        ]
        _insert(ground, rows)
        OrgClock.objects.of(org.id).update(ticket_no=first + count)
    _settle()
    return keys, first


def _ground_of(seeded: Seeded, now: datetime) -> _Ground:
    one = Ticket.objects.of(seeded.org.id).select_related("title")[0]
    return _Ground(seeded.org, one.project_id, one.title, one.creator_id, one.creator_id, now)


def _agent(org: Org, name: str, now: datetime) -> str:
    system = system_caller(org.id)
    return direct_key_make(actor=system, org=org, name=name, scopes=WORK_SCOPES, now=now).text


def _ground(org: Org, keys: dict[str, str], now: datetime) -> _Ground:
    title = prepare(
        org_id=org.id, kind="title", body=mask_text("The image cannot be built"), root_id=None
    )
    Content.unscoped.bulk_create([title])
    bearers = {
        name: sign_in(f"Bearer {key}", kinds=AGENT_KINDS, now=now).caller.id
        for name, key in keys.items()
    }
    rare = project_make(org=org, name="Rare", now=now)
    return _Ground(org, rare.id, title, bearers["filer"], bearers["holder"], now)


def _insert(ground: _Ground, rows: list[Columns]) -> None:
    """The tickets, and a claim for each that is leased."""
    insert_alike(_alike(ground), rows)
    claim = Claim(
        id=ground.org.id,
        org_id=ground.org.id,
        ticket_id=ground.org.id,
        actor_id=ground.holder_id,
        seq=0,
        started_at=ground.now,
    )
    leased = (row for row in rows if "claim_id" in row)
    insert_alike(claim, ({"id": row["claim_id"], "ticket_id": row["id"]} for row in leased))


def _alike(ground: _Ground) -> Ticket:
    """A free ticket with all that a shape does not change."""
    return Ticket(
        id=ground.org.id,
        org_id=ground.org.id,
        root_id=ground.org.id,
        project_id=ground.project,
        number=0,
        state=State.OPEN,
        mode="blocker_only",
        urgency=5,
        creator_id=ground.filer_id,
        title_id=ground.title.id,
        offer_at=ground.now,
        created_at=ground.now,
        updated_at=ground.now,
    )


def _row(ground: _Ground, place: int) -> Columns:
    """What every ticket has of its own."""
    ticket_id = ids.uuid7()
    return {
        "id": ticket_id,
        "root_id": ticket_id,
        "number": place,
        # Spread, but not in step with anything that a shape makes rare.
        "urgency": 1 + place * 7919 % 11 % 10,
        "created_at": ground.now - timedelta(seconds=place),
    }


def _tag(ground: _Ground, rows: list[Columns]) -> None:
    """One label each; the one that is wanted is rare."""
    first = Tag(
        org_id=ground.org.id,
        project_id=ground.project,
        label="",
        ticket_id=ground.org.id,
        urgency=5,
    )
    insert_alike(
        first,
        (
            {
                "label": "rare" if row["number"] % RARE == 0 else f"label-{row['number'] % 50}",
                "urgency": row["urgency"],
                "ticket_id": row["id"],
            }
            for row in rows
        ),
    )


def _trust() -> None:
    """Spares PostgreSQL the look at twelve foreign keys a row, which is most of the time.

    Only its superuser may do that, which the user of `scripts/with_postgres` is.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")


def _settle() -> None:
    """What PostgreSQL's autovacuum does by itself a minute later. SQLite has nothing like it."""
    if connection.vendor != "postgresql":
        return
    # Inside a test's transaction there is nothing to vacuum yet.
    task = "ANALYZE" if connection.in_atomic_block else "VACUUM ANALYZE"
    with connection.cursor() as cursor:
        cursor.execute(f"{task} tickets_ticket")
        cursor.execute(f"{task} tickets_tag")


def _wish(shape: str, ground: _Ground) -> WorkFilter:
    wishes = {
        "project": WorkFilter(project_ids=frozenset([ground.rare_project])),
        "label": WorkFilter(labels=("rare",)),
        "skills": WorkFilter(skills=("python", "git")),
    }
    return wishes.get(shape, WorkFilter())
