"""A ticket with what a person or agent sees of it first: one row, one read, plain data."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from accounts.models import Project
from stuckbot.lib import sql
from stuckbot.lib.content import text_of, value_of
from tickets.facts import Facts
from tickets.models import Ticket
from tickets.rows import FACT_COLUMNS_SQL, TICKETS_SQL, facts_of


class Who(NamedTuple):
    """An actor as shown: `{id, kind, name}`."""

    id: UUID
    kind: str
    name: str


class Card(NamedTuple):
    """A ticket's facts with the names and texts of its summary."""

    facts: Facts
    project_name: str
    creator: Who
    solver: Who | None
    assignee: Who | None
    paused_by: str | None
    labels: list[str]
    skills: list[str]
    title: str
    human_summary: dict[str, str] | None
    blocked_reason: str | None
    resolution: dict[str, Any] | None
    claim_started_at: datetime | None
    execution_target: str | None
    conversation: dict[str, Any] | None
    verifier: str | None = None
    reserved: Who | None = None
    #: Why it is paused: the ticket, its project or everything, in this order, like `paused_by`.
    pause_reason: str | None = None
    #: Why its creator handed its parent on.
    handoff_reason: str | None = None


class Words(NamedTuple):
    """The labels and required skills of a ticket, in the order given."""

    labels: Sequence[str]
    skills: Sequence[str]


#: Where the parts of a card beside its facts come from: (table, key of the ticket, columns).
_BESIDE: Final = (
    ("accounts_actor", "creator_id", ("kind", "name")),
    ("accounts_actor", "solver_id", ("kind", "name")),
    ("accounts_actor", "assignee_id", ("kind", "name")),
    ("tickets_wordset", "labelset_id", ("words",)),
    ("tickets_wordset", "skillset_id", ("words",)),
    ("core_content", "title_id", ("bytes", "key_id")),
    ("core_content", "summary_id", ("bytes", "key_id")),
    ("core_content", "blocked_reason_id", ("bytes", "key_id")),
    ("core_content", "resolution_id", ("bytes", "key_id")),
    ("tickets_claim", "claim_id", ("started_at", "execution_target", "conversation")),
    ("accounts_actor", "verifier_id", ("name",)),
    ("accounts_actor", "reserved_for_id", ("kind", "name")),
    ("core_content", "handoff_reason_id", ("bytes", "key_id")),
)


def _of_pause(column: str) -> str:
    """The column of the pause that holds: the ticket's own, its project's, everything's."""
    of_org = f"SELECT o.{column} FROM accounts_org o WHERE o.id = t.org_id"  # noqa: S608
    return (
        f"CASE WHEN t.paused_at IS NOT NULL THEN t.{column}"
        f" WHEN p.paused_at IS NOT NULL THEN p.{column} ELSE ({of_org}) END"
    )


_PAUSE: Final = (
    ("accounts_actor", "paused_by_id", ("name",)),
    ("core_content", "pause_reason_id", ("bytes", "key_id")),
)
_FACTS: Final = len(Facts._fields)
#: A chain longer than this is shown with its root and as many of its newest tickets as fit.
CHAIN_MOST: Final = 50
#: Tickets with the same problem that one is told with.
ALIKE_MOST: Final = 10


def _statement(*more: str) -> str:
    """Subqueries by key, not joins: PostgreSQL plans them one by one, while it tries orders of
    thirteen joined tables for longer than the rest of a call takes. `more` columns come last."""
    columns = [FACT_COLUMNS_SQL, "p.name", "t.assignee_id"]
    columns += [
        f"(SELECT x.{column} FROM {table} x WHERE x.id = t.{key})"  # noqa: S608
        for table, key, names in _BESIDE
        for column in names
    ]
    columns += [
        f"(SELECT x.{column} FROM {table} x WHERE x.id = {_of_pause(key)})"  # noqa: S608
        for table, key, names in _PAUSE
        for column in names
    ]
    return (
        f"SELECT {', '.join([*columns, *more])} FROM {TICKETS_SQL}"  # noqa: S608
        " WHERE t.org_id = %s AND "
    )


_STATEMENT: Final = _statement()


_BOARD: Final = "l.urgency DESC, l.created_at, l.id"
_ARCHIVE: Final = "l.closed_at DESC, l.id DESC"


def _listed(column: str) -> str:
    """One ticket, and the first of those that are open, or closed, as it is."""
    parts = [f"SELECT w.id FROM tickets_ticket w WHERE w.org_id = %s AND w.{column} = %s"]  # noqa: S608
    for is_as, order in (("IS NULL", _BOARD), ("IS NOT NULL", _ARCHIVE)):
        like_it = f"{parts[0]} AND w.closed_at {is_as}"
        parts.append(
            "SELECT o.id FROM (SELECT l.id FROM tickets_ticket l"  # noqa: S608
            f" WHERE l.org_id = %s AND l.closed_at {is_as} AND EXISTS ({like_it})"
            f" ORDER BY {order} LIMIT %s) o"
        )
    parts += [_chain(column), _alike(column)]
    return f"{_statement(_score(column))}t.id IN ({' UNION ALL '.join(parts)})"


def _alike(column: str) -> str:
    """Those that look most like the same problem."""
    it = f"(SELECT w.id FROM tickets_ticket w WHERE w.org_id = %s AND w.{column} = %s)"  # noqa: S608
    return (
        "SELECT o.other_id FROM (SELECT k.other_id FROM tickets_searchlike k"  # noqa: S608
        f" WHERE k.ticket_id = {it} ORDER BY k.score DESC, k.id DESC LIMIT {ALIKE_MOST}) o"
    )


def _score(column: str) -> str:
    """How much a row looks like the one that is sought; null for what is there for another
    reason."""
    it = f"(SELECT w.id FROM tickets_ticket w WHERE w.org_id = %s AND w.{column} = %s)"  # noqa: S608
    return (
        f"(SELECT k.score FROM tickets_searchlike k WHERE k.ticket_id = {it}"  # noqa: S608
        " AND k.other_id = t.id)"
    )


def _chain(column: str) -> str:
    """The root of the ticket's chain, and the newest of the others by the index of chains."""
    root = f"(SELECT w.root_id FROM tickets_ticket w WHERE w.org_id = %s AND w.{column} = %s)"  # noqa: S608
    of_chain = "FROM tickets_ticket c WHERE c.root_id = {root} AND c.depth > 0"
    return (
        f"SELECT r.id FROM tickets_ticket r WHERE r.id = {root}"  # noqa: S608
        f" UNION ALL SELECT c.id {of_chain.format(root=root)} AND c.depth >"
        f" (SELECT MAX(c.depth) {of_chain.format(root=root)}) - {CHAIN_MOST - 1}"
    )


_LISTED: Final = {column: _listed(column) for column in ("id", "number")}


def cards_read(tickets: QuerySet[Ticket]) -> list[Card]:
    """The cards of a query, in its order, in two statements."""
    found = list(tickets.values_list("id", "org_id"))
    return cards_of([one for one, _ in found], found[0][1]) if found else []


def cards_of(ticket_ids: Sequence[UUID], org_id: UUID) -> list[Card]:
    """The cards of these tickets, in this order, in one statement; one that is not there lacks."""
    if not ticket_ids:
        return []
    marks = ", ".join(["%s"] * len(ticket_ids))
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_STATEMENT}t.id IN ({marks})",
            [sql.uuid(org_id), *(sql.uuid(one) for one in ticket_ids)],
        )
        cards = {card.facts.id: card for card in map(_card, cursor.fetchall())}
    return [cards[one] for one in ticket_ids if one in cards]


def cards_beside(
    tickets: QuerySet[Ticket], org_id: UUID, more: Sequence[str]
) -> list[tuple[Card, tuple[Any, ...]]]:
    """The cards of a query, in no order, in one statement; each with the values of `more`, which
    are SQL for columns beside the ticket `t`."""
    inner, params = tickets.order_by().values("id").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{_statement(*more)}t.id IN ({inner})", [sql.uuid(org_id), *params])
        rows = cursor.fetchall()
    return [(_card(row), row[-len(more) :]) for row in rows]


class Found(NamedTuple):
    """A ticket with the first of the list that it is on, and the tickets of its chain by depth:
    the root and as many of the newest as `CHAIN_MOST` leaves. `alike` look like the same problem,
    the most alike first."""

    card: Card | None
    listed: list[Card]
    chain: list[Card]
    alike: list[Card]


def card_find(org_id: UUID, column: str, value: UUID | int, *, listed: int = 0) -> Found:
    """The card of that `id` or `number` with what belongs beside it, in one statement.

    The list is the board's for an open ticket, the archive's for a closed one, in their order.
    """
    org = sql.uuid(org_id)
    sought = (org, sql.uuid(value) if isinstance(value, UUID) else value)
    of_list = (org, *sought, listed)
    with connection.cursor() as cursor:
        cursor.execute(_LISTED[column], [*sought, org, *sought, *of_list, *of_list, *(sought * 4)])
        rows = cursor.fetchall()
    cards = [_card(row) for row in rows]
    found = next((one for one in cards if getattr(one.facts, column) == value), None)
    if found is None:
        return Found(None, [], [], [])
    in_order = _in_order(cards, closed=found.facts.closed_at is not None)
    scored = [(row[-1], card) for row, card in zip(rows, cards, strict=True) if row[-1]]
    alike = [card for _, card in sorted(scored, key=lambda one: -one[0])]
    return Found(found, in_order[:listed], _chain_of(found, cards), alike)


def _chain_of(found: Card, cards: list[Card]) -> list[Card]:
    """Those of its chain; what is only there because it is listed beside has no place in it."""
    chain = [one for one in cards if one.facts.root_id == found.facts.root_id]
    chain.sort(key=lambda one: one.facts.depth)
    return [*chain[:1], *chain[1:][-(CHAIN_MOST - 1) :]]


def _in_order(cards: list[Card], *, closed: bool) -> list[Card]:
    cards = [one for one in cards if (one.facts.closed_at is not None) == closed]
    if closed:
        return sorted(cards, key=lambda one: (one.facts.closed_at, one.facts.id), reverse=True)
    return sorted(cards, key=lambda one: (-one.facts.urgency, one.facts.created_at, one.facts.id))


def card_fresh(
    ticket: Ticket,
    *,
    project: Project,
    creator: Who,
    assignee: Who | None,
    words: Words,
    reserved: Who | None = None,
) -> Card:
    """The card of a ticket that was filed this moment, from what was written: no statement.

    Its texts must still hang on `ticket` as content rows.
    """
    values: dict[str, Any] = {name: getattr(ticket, name, None) for name in Facts._fields}
    values["project_paused_at"] = project.paused_at
    summary, blocked = ticket.summary, ticket.blocked_reason
    return Card(
        facts=Facts(**values),
        project_name=project.name,
        creator=creator,
        solver=None,
        assignee=assignee,
        paused_by=None,
        labels=list(words.labels),
        skills=list(words.skills),
        title=text_of(ticket.title.bytes, ticket.title.key_id),
        human_summary=value_of(summary.bytes, summary.key_id) if summary else None,
        blocked_reason=text_of(blocked.bytes, blocked.key_id) if blocked else None,
        resolution=None,
        claim_started_at=None,
        execution_target=None,
        conversation=None,
        reserved=reserved,
    )


def _card(row: tuple[Any, ...]) -> Card:
    facts = facts_of(row[:_FACTS])
    extra = row[_FACTS:]
    return Card(
        facts=facts,
        project_name=extra[0],
        creator=Who(facts.creator_id, extra[2], extra[3]),
        solver=_who(facts.solver_id, extra[4:6]),
        assignee=_who(sql.to_uuid(extra[1]), extra[6:8]),
        labels=sql.to_json(extra[8]) or [],
        skills=sql.to_json(extra[9]) or [],
        title=text_of(*extra[10:12]),
        human_summary=value_of(*extra[12:14]),
        blocked_reason=None if extra[14] is None else text_of(*extra[14:16]),
        resolution=value_of(*extra[16:18]),
        claim_started_at=sql.to_time(extra[18]),
        execution_target=extra[19],
        conversation=sql.to_json(extra[20]),
        verifier=extra[21],
        reserved=_who(facts.reserved_for_id, extra[22:24]),
        handoff_reason=None if extra[24] is None else text_of(*extra[24:26]),
        paused_by=extra[26],
        pause_reason=None if extra[27] is None else text_of(*extra[27:29]),
    )


def _who(actor_id: UUID | None, shown: tuple[Any, ...]) -> Who | None:
    return None if actor_id is None else Who(actor_id, *shown)
