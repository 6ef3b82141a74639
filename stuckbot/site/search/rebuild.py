"""The index made anew from the tickets as they are stored, while the desk runs."""

from collections import Counter
from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.db import transaction

from stuckbot.site.search.sources import sources_read
from tickets.models import Ticket
from tickets.search.document import Document, Source
from tickets.search.index import counts_reset, documents_of, search_write, stems_counted
from tickets.search.likeness import likes_write

PART: Final = 100


def search_rebuild(org_id: UUID, *, with_likes: bool = True) -> int:
    """Writes the words of all tickets of an org, oldest first; returns how many there are.

    Likeness is weighed by how rare words are, so it comes once all words are there.
    """
    written = 0
    for documents in _parts(org_id):
        with transaction.atomic():
            search_write(org_id, documents)
        written += len(documents)
    with transaction.atomic():
        counts: Counter[int] = stems_counted(org_id)
        counts_reset(org_id, counts)
    if with_likes:
        for documents in _parts(org_id):
            with transaction.atomic():
                likes_write(org_id, documents)
    return written


def _parts(org_id: UUID) -> Iterator[list[tuple[Source, Document]]]:
    last = 0
    while True:
        tickets = Ticket.objects.of(org_id).filter(number__gt=last).order_by("number")
        chosen = list(tickets.values_list("id", "number")[:PART])
        if not chosen:
            return
        last = chosen[-1][1]
        yield documents_of(sources_read(org_id, [one for one, _ in chosen]))
