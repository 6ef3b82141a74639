"""What an idle agent should take next, by index.

Each readable project is one index scan of its offerable tickets, most urgent first, joined with
UNION ALL; leases that ran out and that no sweep has written down yet are one more scan.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from accounts.models import Project
from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from tickets.cards import Card, cards_of
from tickets.models import Ticket, WordSet

MOST: Final = 100
#: More branches than this cost more to plan than they save: then one scan a project filters.
BRANCHES_MOST: Final = 120


@dataclass(frozen=True, slots=True)
class WorkFilter:
    """What the caller wants to be offered; empty means anything."""

    project_ids: frozenset[UUID] = frozenset()
    labels: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    min_urgency: int = 1


_FREE: Final = "t.offer_at IS NOT NULL AND t.open_deps = 0 AND t.claim_id IS NULL"
_OVERDUE: Final = (
    "t.offer_at IS NOT NULL AND t.open_deps = 0 AND t.claim_id IS NOT NULL"
    " AND t.org_id = %s AND t.lease_until <= %s"
)


def offers_list(*, actor: Caller, wish: WorkFilter, now: datetime) -> list[Card]:
    """At most 100 tickets the actor may take now, most urgent first, then oldest.

    Not its own, not paused, not red, reserved for nobody else, in its projects.
    """
    if actor.org_paused:
        return []
    projects = _projects(actor, wish)
    if not projects:
        return []
    found = offer_ids(actor=actor, wish=wish, projects=projects, now=now)
    return cards_of(found, actor.org_id)


def next_change(*, org_id: UUID, now: datetime) -> datetime | None:
    """When the offers next change by the clock alone: the earliest end of a running lease."""
    running = Ticket.objects.of(org_id).filter(claim__isnull=False, lease_until__gt=now)
    return running.order_by("lease_until").values_list("lease_until", flat=True).first()


def _projects(actor: Caller, wish: WorkFilter) -> list[UUID]:
    projects = Project.objects.of(actor.org_id).filter(paused_at=None)
    if actor.project_ids is not None:
        projects = projects.filter(id__in=actor.project_ids)
    if wish.project_ids:
        projects = projects.filter(id__in=wish.project_ids)
    return list(projects.values_list("id", flat=True))


def offer_ids(
    *, actor: Caller, wish: WorkFilter, projects: list[UUID], now: datetime
) -> list[UUID]:
    query, params = offer_query(actor=actor, wish=wish, projects=projects, now=now)
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        found = [sql.to_uuid(row[0]) for row in cursor.fetchall()]
    return [one for one in found if one is not None]


def offer_query(
    *, actor: Caller, wish: WorkFilter, projects: list[UUID], now: datetime
) -> tuple[str, list[Any]]:
    """The one statement that finds offers, with its parameters."""
    skillsets = _skillsets(actor, wish)
    shared, shared_params = _shared_conditions(actor, wish)
    branches: list[str] = []
    params: list[Any] = []
    for project in projects:
        for skill in _skill_branches(skillsets, len(projects)):
            text, found = _branch(project, wish, skill)
            branches.append(text.format(shared=shared))
            params += [*found, *shared_params]
    text, found = _overdue_branch(actor, wish, projects, skillsets, now)
    branches.append(text.format(shared=shared))
    params += [*found, *shared_params]
    union = " UNION ALL ".join(f"SELECT * FROM ({one}) b{n}" for n, one in enumerate(branches))
    query = f"SELECT id FROM ({union}) found ORDER BY urgency DESC, id LIMIT {MOST}"
    return query, params


def _branch(project: UUID, wish: WorkFilter, skill: "_Skill") -> tuple[str, list[Any]]:
    if wish.labels:
        return (
            "SELECT t.id, t.urgency FROM tickets_tag g JOIN tickets_ticket t ON t.id = g.ticket_id"
            f" WHERE g.project_id = %s AND g.label = %s AND {_FREE}{skill.condition}{{shared}}"
            f" ORDER BY g.urgency DESC, g.ticket_id LIMIT {MOST}",
            [sql.uuid(project), wish.labels[0], *skill.params],
        )
    return (
        "SELECT t.id, t.urgency FROM tickets_ticket t"
        f" WHERE t.project_id = %s AND {_FREE}{skill.condition}{{shared}}"
        f" ORDER BY {skill.order}t.urgency DESC, t.id LIMIT {MOST}",
        [sql.uuid(project), *skill.params],
    )


def _overdue_branch(
    actor: Caller,
    wish: WorkFilter,
    projects: list[UUID],
    skillsets: list[UUID] | None,
    now: datetime,
) -> tuple[str, list[Any]]:
    skill = _skill_any(skillsets)
    label, label_params = _label_condition(wish.labels[:1])
    return (
        f"SELECT t.id, t.urgency FROM tickets_ticket t WHERE {_OVERDUE}"
        f" AND t.project_id IN ({_marks(projects)}){skill.condition}{label}{{shared}}"
        f" ORDER BY t.lease_until LIMIT {5 * MOST}",
        [
            sql.uuid(actor.org_id),
            sql.at(now),
            *map(sql.uuid, projects),
            *skill.params,
            *label_params,
        ],
    )


def _shared_conditions(actor: Caller, wish: WorkFilter) -> tuple[str, list[Any]]:
    text = " AND t.creator_id <> %s AND (t.reserved_for_id IS NULL OR t.reserved_for_id = %s)"
    params: list[Any] = [sql.uuid(actor.id), sql.uuid(actor.id)]
    if wish.min_urgency > 1:
        text += " AND t.urgency >= %s"
        params.append(wish.min_urgency)
    if wish.modes:
        text += f" AND t.mode IN ({_marks(wish.modes)})"
        params += wish.modes
    label, label_params = _label_condition(wish.labels[1:])
    return text + label, params + label_params


def _label_condition(labels: tuple[str, ...]) -> tuple[str, list[Any]]:
    # Counted, not EXISTS, which PostgreSQL would plan as one more join.
    one = " AND (SELECT COUNT(*) FROM tickets_tag x WHERE x.ticket_id = t.id AND x.label = %s) > 0"
    return one * len(labels), list(labels)


def _skillsets(actor: Caller, wish: WorkFilter) -> list[UUID] | None:
    """The sets of required skills that the caller has; None when it named no skills."""
    if not wish.skills:
        return None
    has = set(wish.skills)
    sets = WordSet.objects.of(actor.org_id).filter(kind="skills").values_list("id", "words")
    return [set_id for set_id, words in sets if has.issuperset(words)]


@dataclass(frozen=True, slots=True)
class _Skill:
    """A condition on the required skills, and what the order of its branch begins with."""

    condition: str = ""
    params: tuple[Any, ...] = ()
    order: str = ""


def _skill_branches(skillsets: list[UUID] | None, projects: int) -> list[_Skill]:
    if skillsets is None:
        return [_Skill()]
    if projects * (1 + len(skillsets)) > BRANCHES_MOST:
        return [_skill_any(skillsets)]
    # Ordered by the set as well, only the index by skill has the rows in order. Otherwise a planner
    # that expects many of a set may walk the other index and throw away what needs other skills.
    # For the same reason the set is a range: equality would make its order trivial.
    order = "t.skillset_id, "
    by_set = [_Skill(" AND t.skillset_id IS NULL", (), order)]
    for one in map(sql.uuid, skillsets):
        by_set.append(_Skill(" AND t.skillset_id >= %s AND t.skillset_id <= %s", (one, one), order))
    return by_set


def _skill_any(skillsets: list[UUID] | None) -> _Skill:
    if skillsets is None:
        return _Skill()
    if not skillsets:
        return _Skill(" AND t.skillset_id IS NULL")
    text = f" AND (t.skillset_id IS NULL OR t.skillset_id IN ({_marks(skillsets)}))"
    return _Skill(text, tuple(map(sql.uuid, skillsets)))


def _marks(values: Any) -> str:
    return ", ".join(["%s"] * len(values))
