"""How well likeness does on the corpus: the numbers of docs/search.md come from here.

python -m pytest tests/search/test_likeness.py -s
"""

import pytest
from django.db import transaction

from stuckbot.lib import ids
from tests.search.problems import Problem, others, pairs
from tests.support import Desk, file_ticket
from tickets.models import Ticket
from tickets.search.document import Source, problem_stems
from tickets.search.index import documents_of, search_write
from tickets.search.likeness import alike_find


def _keep(desk: Desk, problems: list[Problem]) -> dict[object, int]:
    """A ticket for each problem, with its place in the list by its id."""
    api = desk.agent("filer")
    first = Ticket.objects.of(desk.org.id).get(id=file_ticket(api)["id"])
    rows, sources = [], []
    for place, problem in enumerate(problems):
        row = Ticket.objects.of(desk.org.id).get(id=first.id)
        row.id, row.number, row.fingerprint = ids.uuid7(), place + 2, ""
        rows.append(row)
        sources.append(_source(row, problem))
    Ticket.unscoped.bulk_create(rows)
    with transaction.atomic():
        search_write(desk.org.id, documents_of(sources))
    return {row.id: place for place, row in enumerate(rows)}


def _source(row: Ticket, problem: Problem) -> Source:
    return Source(
        org_id=row.org_id,
        ticket_id=row.id,
        number=row.number,
        project_id=row.project_id,
        reader_ids=[],
        labels=[],
        title=problem.title,
        summary={},
        package=problem.package,
        answers=[],
    )


@pytest.mark.parametrize(
    ("name", "precision_least", "recall_least"),
    [("pairs.txt", 0.9, 0.9), ("pairs_held.txt", 0.9, 0.9)],
)
def test_it_finds_the_same_problem_in_other_words(
    desk: Desk, name: str, precision_least: float, recall_least: float
) -> None:
    told = [*pairs("pairs.txt"), *pairs("pairs_held.txt")]
    assert len(told) >= 40
    assert len(others()) >= 200
    places = _keep(desk, [*(one for one, _ in told), *others()])
    asked = pairs(name)
    start = 0 if name == "pairs.txt" else len(pairs("pairs.txt"))
    right = wrong = 0
    for place, (_, again) in enumerate(asked, start=start):
        found = alike_find(desk.org.id, problem_stems(again.title, again.package))[:5]
        hits = [places.get(one.ticket_id) for one in found]
        right += place in hits
        wrong += len([one for one in hits if one != place])
    precision, recall = right / (right + wrong), right / len(asked)
    print(f"\n{name}: precision {precision:.2f}, recall {recall:.2f} of {len(asked)}")
    assert (precision >= precision_least, recall >= recall_least) == (True, True)
