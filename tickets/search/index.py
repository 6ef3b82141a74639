"""Keeping what tickets are found by: written by the worker, forgotten at once.

All of it follows from the tickets as they are stored, so writing a ticket's words twice changes
nothing, and `search_write` over all tickets makes the index anew.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Max

from stuckbot.lib import sql
from tickets.search import fts5, lexemes
from tickets.search.document import Document, Source, document_of
from tickets.search.engine import Engine, doc_id
from tickets.search_models import SearchCount, SearchDoc, SearchLike, SearchOrg

#: The bucket that counts all tickets.
ALL: Final = -1


def engine() -> Engine:
    return lexemes if connection.vendor == "postgresql" else fts5


def slot_find(org_id: UUID) -> int | None:
    """The org's slot; None while nothing of it was ever written."""
    return SearchOrg.objects.of(org_id).values_list("slot", flat=True).first()


def slot_take(org_id: UUID) -> int:
    """The org's slot, given to it now when it has none."""
    found = slot_find(org_id)
    while found is None:
        last = SearchOrg.unscoped.aggregate(last=Max("slot"))["last"] or 0
        SearchOrg.unscoped.bulk_create(
            [SearchOrg(org_id=org_id, slot=last + 1)], ignore_conflicts=True
        )
        found = slot_find(org_id)
    return found


def documents_of(sources: Iterable[Source]) -> list[tuple[Source, Document]]:
    """The dear part of writing, for outside of any transaction."""
    return [(one, document_of(one)) for one in sources]


def search_write(org_id: UUID, documents: Sequence[tuple[Source, Document]]) -> None:
    """Keeps the words of these tickets of an org; in the caller's transaction."""
    if not documents:
        return
    slot = slot_take(org_id)
    places = [doc_id(slot, source.number) for source, _ in documents]
    known = dict(SearchDoc.objects.of(org_id).filter(id__in=places).values_list("id", "stems"))
    counts: Counter[int] = Counter()
    for place, (source, document) in zip(places, documents, strict=True):
        said = " ".join(document.stems)
        _row_write(place, source, said)
        engine().write(place, document)
        counts.update(map(bucket_of, document.stems))
        counts.subtract(map(bucket_of, known.get(place, "").split()))
        counts[ALL] += place not in known
    counts_add(org_id, counts)


def search_forget(ticket_id: UUID, org_id: UUID) -> None:
    """Takes all words of a ticket out of the index, in the caller's transaction.

    They come back by whatever writes the ticket's words anew: purge its texts first.
    """
    doc = SearchDoc.objects.of(org_id).filter(ticket_id=ticket_id)
    said = doc.values_list("stems", flat=True).first()
    if said is None:
        return
    counts: Counter[int] = Counter()
    counts.subtract([ALL, *map(bucket_of, said.split())])
    counts_add(org_id, counts)
    SearchLike.objects.of(org_id).filter(ticket_id=ticket_id).delete()
    SearchLike.objects.of(org_id).filter(other_id=ticket_id).delete()
    doc.delete()
    if connection.vendor == "sqlite":
        fts5.wipe()


def bucket_of(stem: str) -> int:
    return int.from_bytes(blake2b(stem.encode(), digest_size=2).digest())


def counts_add(org_id: UUID, counts: Counter[int]) -> None:
    """Adds to the numbers of tickets by bucket."""
    changed = sorted((bucket, number) for bucket, number in counts.items() if number)
    for start in range(0, len(changed), 200):
        part = changed[start : start + 200]
        marks = ", ".join(["(%s, %s, %s)"] * len(part))
        values: list[Any] = []
        for bucket, number in part:
            values += [sql.uuid(org_id), bucket, number]
        with connection.cursor() as cursor:
            cursor.execute(_COUNT % {"marks": marks}, values)


def counts_reset(org_id: UUID, counts: Counter[int]) -> None:
    """These counts instead of all there were; in the caller's transaction."""
    SearchCount.objects.of(org_id).all().delete()
    counts_add(org_id, counts)


def stems_counted(org_id: UUID) -> Counter[int]:
    """The counts as the org's docs say them."""
    counts: Counter[int] = Counter()
    docs = SearchDoc.objects.of(org_id).order_by("id").values_list("stems", flat=True)
    for said in docs.iterator(chunk_size=2_000):
        counts.update([ALL, *map(bucket_of, said.split())])
    return counts


class Counted(NamedTuple):
    """The org's slot, how many tickets know their problem by each stem, at most, and how many
    there are."""

    slot: int
    by_stem: dict[str, int]
    number: int


def counts_read(org_id: UUID, stems: Iterable[str]) -> Counted | None:
    """In one statement; None while nothing of the org was ever written."""
    buckets = {one: bucket_of(one) for one in stems}
    wanted = sorted({ALL, *buckets.values()})
    org = sql.uuid(org_id)
    with connection.cursor() as cursor:
        marks = ", ".join(["%s"] * len(wanted))
        cursor.execute(_COUNTED % {"marks": marks}, [org, *wanted, org])
        numbers = dict(cursor.fetchall())
    slot = numbers.pop(_SLOT, None)
    if slot is None:
        return None
    counted = {one: max(0, numbers.get(bucket, 0)) for one, bucket in buckets.items()}
    return Counted(slot, counted, max(0, numbers.get(ALL, 0)))


#: Where the slot stands among the counts by bucket.
_SLOT: Final = -2
_COUNTED: Final = (
    "SELECT bucket, number FROM tickets_searchcount"  # noqa: S608
    " WHERE org_id = %%s AND bucket IN (%(marks)s)"
    f" UNION ALL SELECT {_SLOT}, slot FROM tickets_searchorg WHERE org_id = %%s"
)
_COUNT: Final = (
    "INSERT INTO tickets_searchcount (org_id, bucket, number) VALUES %(marks)s"
    " ON CONFLICT (org_id, bucket) DO UPDATE"
    " SET number = tickets_searchcount.number + excluded.number"
)
_ROW: Final = (
    "INSERT INTO tickets_searchdoc (id, org_id, ticket_id, stems) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (id) DO UPDATE SET ticket_id = excluded.ticket_id, stems = excluded.stems"
)


def _row_write(place: int, source: Source, stems: str) -> None:
    values = [place, sql.uuid(source.org_id), sql.uuid(source.ticket_id), stems]
    with connection.cursor() as cursor:
        cursor.execute(_ROW, values)
