"""Many checks at once on one ticket, without asking the API for each."""

from collections.abc import Sequence

from stuckbot.lib import clock, ids
from tests.checks.bench import Opened
from tickets.models import Criterion
from verification.models import Evidence, UrlCheck


def queue(looked: Opened, hosts: Sequence[str]) -> list[UrlCheck]:
    """One more criterion, with a report and a check that is due, for each host."""
    org_id, ticket_id, now = looked.desk.org.id, looked.row.id, clock.now()
    asked = Evidence.objects.of(org_id).get(ticket_id=ticket_id)
    known = Criterion.objects.of(org_id).get(ticket_id=ticket_id, key="b1")
    criteria, evidence, checks = [], [], []
    for n, host in enumerate(hosts, 100):
        url, one = f"https://{host}/", Evidence.objects.of(org_id).get(id=asked.id)
        one.id, one.criterion = ids.uuid7(), f"b{n}"
        evidence.append(one)
        criteria.append(_criterion(known, f"b{n}", url, n))
        checks.append(
            UrlCheck(
                id=ids.uuid7(),
                org_id=org_id,
                ticket_id=ticket_id,
                evidence=one,
                criterion=f"b{n}",
                attempt=one.attempt,
                url=url,
                host=host,
                created_at=now,
                due_at=now,
            )
        )
    Criterion.unscoped.bulk_create(criteria)
    Evidence.unscoped.bulk_create(evidence)
    UrlCheck.unscoped.bulk_create(checks)
    return checks


def _criterion(known: Criterion, key: str, url: str, position: int) -> Criterion:
    return Criterion(
        org_id=known.org_id,
        ticket_id=known.ticket_id,
        key=key,
        stage=known.stage,
        method=known.method,
        position=position,
        url=url,
        expected=known.expected,
    )
