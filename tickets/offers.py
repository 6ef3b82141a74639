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


@dataclass(frozen=True, slots=True)
class Seeker:
    """Who looks for offers: an actor, or with no `id` all of them at once, who then get what is
    their own and what is kept for others as well."""

    org_id: UUID
    id: UUID | None
    most: int = MOST

    @property
    def most_in_all(self) -> int:
        """What is kept comes first and must not crowd out the rest, where it is all of it."""
        return self.most if self.id is not None else 2 * self.most


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
    projects = offer_projects(actor, wish)
    if not projects:
        return []
    seeker = Seeker(actor.org_id, actor.id)
    found = offer_ids(seeker=seeker, wish=wish, projects=projects, now=now)
    return cards_of(found, actor.org_id)


def next_change(*, org_id: UUID, now: datetime) -> datetime | None:
    """When the offers next change by the clock alone: the earliest end of a running lease."""
    running = Ticket.objects.of(org_id).filter(claim__isnull=False, lease_until__gt=now)
    return running.order_by("lease_until").values_list("lease_until", flat=True).first()


def offer_projects(actor: Caller, wish: WorkFilter) -> list[UUID]:
    projects = Project.objects.of(actor.org_id).filter(paused_at=None)
    if actor.project_ids is not None:
        projects = projects.filter(id__in=actor.project_ids)
    if wish.project_ids:
        projects = projects.filter(id__in=wish.project_ids)
    return list(projects.values_list("id", flat=True))


def offer_ids(
    *, seeker: Seeker, wish: WorkFilter, projects: list[UUID], now: datetime
) -> list[UUID]:
    return [one for one, _ in offer_versions(seeker=seeker, wish=wish, projects=projects, now=now)]


def offer_versions(
    *, seeker: Seeker, wish: WorkFilter, projects: list[UUID], now: datetime
) -> list[tuple[UUID, int]]:
    """The ids of what is on offer, each with its ticket's version."""
    query, params = offer_query(seeker=seeker, wish=wish, projects=projects, now=now)
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        found = [(sql.to_uuid(row[0]), row[1]) for row in cursor.fetchall()]
    return [(one, version) for one, version in found if one is not None]


def offer_query(
    *, seeker: Seeker, wish: WorkFilter, projects: list[UUID], now: datetime
) -> tuple[str, list[Any]]:
    """The one statement that finds offers, with its parameters."""
    skillsets = _skillsets(seeker.org_id, wish)
    shared, shared_params = _shared_conditions(seeker, wish)
    branches: list[str] = []
    params: list[Any] = []
    for project in projects:
        for skill in _skill_branches(skillsets, len(projects)):
            text, found = _branch(seeker, project, wish, skill)
            branches.append(text.format(shared=shared))
            params += [*found, *shared_params]
    for beside in (_kept_branch, _overdue_branch):
        text, found = beside(seeker, wish, projects, skillsets, now)
        branches.append(text)
        params += found
    union = " UNION ALL ".join(f"SELECT * FROM ({one}) b{n}" for n, one in enumerate(branches))
    query = f"SELECT id, version FROM ({union}) found ORDER BY kept DESC, urgency DESC, id"
    return f"{query} LIMIT {seeker.most_in_all}", params


def _branch(
    seeker: Seeker, project: UUID, wish: WorkFilter, skill: "_Skill"
) -> tuple[str, list[Any]]:
    if wish.labels:
        return (
            "SELECT t.id, t.urgency, t.version, 0 AS kept"
            " FROM tickets_tag g JOIN tickets_ticket t ON t.id = g.ticket_id"
            f" WHERE g.project_id = %s AND g.label = %s AND {_FREE}{skill.condition}{{shared}}"
            f" ORDER BY g.urgency DESC, g.ticket_id LIMIT {seeker.most}",
            [sql.uuid(project), wish.labels[0], *skill.params],
        )
    return (
        "SELECT t.id, t.urgency, t.version, 0 AS kept FROM tickets_ticket t"
        f" WHERE t.project_id = %s AND {_FREE}{skill.condition}{{shared}}"
        f" ORDER BY {skill.order}t.urgency DESC, t.id LIMIT {seeker.most}",
        [sql.uuid(project), *skill.params],
    )


def _kept_branch(
    seeker: Seeker,
    wish: WorkFilter,
    projects: list[UUID],
    skillsets: list[UUID] | None,
    _now: datetime,
) -> tuple[str, list[Any]]:
    """Those that are kept for the seeker, its own too: somebody wants it to take them."""
    wishes, params = _wishes(wish, projects, skillsets)
    whose, me = (" IS NOT NULL", []) if seeker.id is None else (" = %s", [sql.uuid(seeker.id)])
    return (
        "SELECT t.id, t.urgency, t.version, 1 AS kept FROM tickets_ticket t"
        f" WHERE t.org_id = %s AND t.reserved_for_id{whose} AND {_FREE}{wishes}"
        f" ORDER BY t.urgency DESC, t.id LIMIT {seeker.most}",
        [sql.uuid(seeker.org_id), *me, *params],
    )


def _overdue_branch(
    seeker: Seeker,
    wish: WorkFilter,
    projects: list[UUID],
    skillsets: list[UUID] | None,
    now: datetime,
) -> tuple[str, list[Any]]:
    wishes, params = _wishes(wish, projects, skillsets)
    mine, me = "", []
    if seeker.id is not None:
        mine = " AND (t.reserved_for_id = %s OR (t.reserved_for_id IS NULL AND t.creator_id <> %s))"
        me = [sql.uuid(seeker.id)] * 2
    return (
        "SELECT t.id, t.urgency, t.version,"
        " CASE WHEN t.reserved_for_id IS NULL THEN 0 ELSE 1 END AS kept"
        f" FROM tickets_ticket t WHERE {_OVERDUE}{wishes}{mine}"
        f" ORDER BY t.lease_until LIMIT {5 * MOST}",
        [sql.uuid(seeker.org_id), sql.at(now), *params, *me],
    )


def _wishes(
    wish: WorkFilter, projects: list[UUID], skillsets: list[UUID] | None
) -> tuple[str, list[Any]]:
    """All that the caller wants, where no index is chosen by it."""
    skill = _skill_any(skillsets)
    bounds, bound_params = _bounds(wish)
    label, label_params = _label_condition(wish.labels)
    text = f" AND t.project_id IN ({_marks(projects)}){skill.condition}{bounds}{label}"
    return text, [*map(sql.uuid, projects), *skill.params, *bound_params, *label_params]


def _shared_conditions(seeker: Seeker, wish: WorkFilter) -> tuple[str, list[Any]]:
    text, me = " AND t.reserved_for_id IS NULL", []
    if seeker.id is not None:
        text, me = f" AND t.creator_id <> %s{text}", [sql.uuid(seeker.id)]
    bounds, bound_params = _bounds(wish)
    label, label_params = _label_condition(wish.labels[1:])
    return text + bounds + label, [*me, *bound_params, *label_params]


def _bounds(wish: WorkFilter) -> tuple[str, list[Any]]:
    text: str = ""
    params: list[Any] = []
    if wish.min_urgency > 1:
        text += " AND t.urgency >= %s"
        params.append(wish.min_urgency)
    if wish.modes:
        text += f" AND t.mode IN ({_marks(wish.modes)})"
        params += wish.modes
    return text, params


def _label_condition(labels: tuple[str, ...]) -> tuple[str, list[Any]]:
    # Counted, not EXISTS, which PostgreSQL would plan as one more join.
    one = " AND (SELECT COUNT(*) FROM tickets_tag x WHERE x.ticket_id = t.id AND x.label = %s) > 0"
    return one * len(labels), list(labels)


def _skillsets(org_id: UUID, wish: WorkFilter) -> list[UUID] | None:
    """The sets of required skills that the caller has; None when it named no skills."""
    if not wish.skills:
        return None
    has = set(wish.skills)
    sets = WordSet.objects.of(org_id).filter(kind="skills").values_list("id", "words")
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
