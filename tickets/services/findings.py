"""What was masked in a ticket's texts, kept with the ticket in the write that masked it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from stuckbot.lib import ids
from stuckbot.lib.masking import Finding as Found
from stuckbot.lib.masking import mask_text
from stuckbot.lib.rows import rows_insert
from stuckbot.lib.unit import Unit
from tickets.facts import Facts
from tickets.models import Finding

#: A write keeps this many at most; past that the last one says how many more there were.
FINDINGS_MOST: Final = 200
#: The kind of the one that stands for the rest.
MORE: Final = "more"


def findings_bounded(found: Iterable[Found]) -> list[Found]:
    """Each place, kind and preview once, at most `FINDINGS_MOST`."""
    each = list(dict.fromkeys(found))
    rest = len(each) - FINDINGS_MOST + 1
    if rest < 2:
        return each
    last = Found(each[-1].where.split(".")[0], MORE, f"and {rest:,} more like these")
    return [*each[: FINDINGS_MOST - 1], last]


def findings_new(facts: Facts, found: Sequence[Found]) -> tuple[Found, ...]:
    """Of what was masked in a new version of the package, what no version before had told of."""
    if not found:
        return ()
    kept = Finding.objects.of(facts.org_id).filter(ticket_id=facts.id)
    known = set(kept.values_list("place", "kind", "preview"))
    return tuple(one for one in found if _columns(one) not in known)


def _columns(one: Found) -> tuple[str, str, str]:
    """Place, kind and preview as a row has them. A path holds names that the sender chose."""
    return mask_text(one.where).text[:500], one.kind[:60], one.preview[:200]


def findings_follow(unit: Unit, ticket_id: UUID, creator_id: UUID) -> list[Finding]:
    """Keeps, at the end of the write, what was masked in the texts of the ticket that it stores.

    The desk says so to the ticket's creator, unless it wrote the text itself. The list given back
    holds the rows from then on.
    """
    rows: list[Finding] = []
    unit.last(partial(_keep, unit, ticket_id, creator_id, rows))
    return rows


def _keep(unit: Unit, ticket_id: UUID, creator_id: UUID, rows: list[Finding]) -> None:
    found = unit.take_findings(ticket_id)
    if not found:
        return
    rows += finding_rows(unit.actor.org_id, ticket_id, found, unit.now)
    rows_insert(*rows)
    unit.event(
        "secret_masked",
        ticket_id=ticket_id,
        data={"count": len(set(found)), "kinds": sorted({one.kind for one in found})},
        tell=(creator_id,),
        by=unit.actor.org_id,
    )


def finding_rows(
    org_id: UUID, ticket_id: UUID, found: Iterable[Found], now: datetime
) -> list[Finding]:
    """Rows whose ids are in the order found, even within a millisecond."""
    columns = [_columns(one) for one in findings_bounded(found)]
    numbers = sorted(ids.uuid7() for _ in columns)
    return [
        Finding(
            id=number,
            org_id=org_id,
            ticket_id=ticket_id,
            place=place,
            kind=kind,
            preview=preview,
            at=now,
        )
        for number, (place, kind, preview) in zip(numbers, columns, strict=True)
    ]
