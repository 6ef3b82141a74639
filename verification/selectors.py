"""Reads of evidence and verifications of a ticket that the caller may read."""

from uuid import UUID

from verification.models import Evidence, Verification


def evidence_list(ticket_id: UUID, org_id: UUID) -> list[Evidence]:
    """Oldest first, with who sent it and its content."""
    rows = Evidence.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(rows.select_related("by", "content").order_by("seq"))


def evidence_of_attempt(ticket_id: UUID, org_id: UUID, attempt: int) -> list[Evidence]:
    """Oldest first, without texts: what a submit judges."""
    rows = Evidence.objects.of(org_id).filter(ticket_id=ticket_id, attempt=attempt)
    return list(rows.order_by("seq"))


def verifications_list(ticket_id: UUID, org_id: UUID) -> list[Verification]:
    """Oldest first."""
    rows = Verification.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(rows.select_related("submitted_by", "decided_by", "reason").order_by("id"))
