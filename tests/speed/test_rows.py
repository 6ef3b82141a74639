"""Hand-written statements bring and write what the ORM would."""

from tests.support import TAKEOVER, Api, Desk, file_ticket, resolve
from tickets.cards import cards_read
from tickets.facts import FACT_COLUMNS, Facts
from tickets.models import Ticket
from tickets.rows import facts_read


def _tickets(desk: Desk, stuck: Api, solver: Api) -> list[Ticket]:
    """One open and labelled, one held, one resolved, one blocked, one withdrawn."""
    file_ticket(stuck, labels=["node", "build"], required_skills=["docker"], urgency=9)
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-2/claim", {}).ok()
    file_ticket(stuck, **TAKEOVER)
    resolve(solver, "SB-3")
    body = {"package": file_ticket(stuck)["content"]["package"], "blocked_reason": "Waits"}
    stuck.post("/api/v1/tickets", body).ok(201)
    stuck.post("/api/v1/tickets/SB-4/withdraw", {}).ok()
    return list(Ticket.objects.of(desk.org.id).order_by("number"))


def test_it_reads_the_facts_that_the_orm_reads(desk: Desk, stuck: Api, solver: Api) -> None:
    for ticket in _tickets(desk, stuck, solver):
        row = Ticket.objects.of(desk.org.id).values_list(*FACT_COLUMNS).get(id=ticket.id)
        assert facts_read(desk.org.id, "id", ticket.id) == Facts._make(row)
        assert facts_read(desk.org.id, "number", ticket.number) == Facts._make(row)


def test_it_reads_the_cards_that_the_orm_reads(desk: Desk, stuck: Api, solver: Api) -> None:
    _tickets(desk, stuck, solver)
    tickets = Ticket.objects.of(desk.org.id).order_by("-number")
    joined = tickets.select_related(
        "project", "creator", "solver", "labelset", "skillset", "title", "blocked_reason", "claim"
    )
    for card, row in zip(cards_read(tickets), joined, strict=True):
        assert (card.facts.id, card.project_name) == (row.id, row.project.name)
        assert card.creator == (row.creator.id, row.creator.kind, row.creator.name)
        assert (card.solver and card.solver.name) == (row.solver and row.solver.name)
        assert card.labels == (row.labelset.words if row.labelset else [])
        assert card.skills == (row.skillset.words if row.skillset else [])
        assert card.title.encode() == bytes(row.title.bytes or b"")
        reason = row.blocked_reason and bytes(row.blocked_reason.bytes or b"").decode()
        assert card.blocked_reason == reason
        assert card.claim_started_at == (row.claim and row.claim.started_at)
