"""How long a search and a look for similar tickets take among many tickets.

    .venv/bin/python -m bench.searching                          on SQLite
    scripts/with_postgres .venv/bin/python -m bench.searching    on PostgreSQL

Tickets are made of words as rare and as common as words are in texts (Zipf), 60 to 120 a ticket.
"""

import argparse
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import django

WORDS: Final = 40_000
RUNS: Final = 200
#: What is searched for: by how common its words are.
QUERIES: Final[dict[str, Callable[[Callable[[int, int], str]], str]]] = {
    "a rare word": lambda pick: pick(8_000, 30_000),
    "a common word": lambda pick: pick(0, 20),
    "two words": lambda pick: f"{pick(50, 500)} {pick(50, 500)}",
    "three common words": lambda pick: f"{pick(0, 40)} {pick(0, 40)} {pick(0, 40)}",
    "a phrase": lambda pick: f'"{pick(0, 100)} {pick(0, 100)}"',
    "a beginning": lambda pick: pick(0, 5_000)[:3],
    "a word without another": lambda pick: f"{pick(0, 200)} -{pick(0, 20)} ",
    "nothing there": lambda pick: f"{pick(0, 20)} nowheretobefound ",
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure searching.")
    parser.add_argument("--tickets", type=int, default=100_000)
    tickets = parser.parse_args().tickets
    with tempfile.TemporaryDirectory(prefix="stuckbot-bench-") as folder:
        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "RATE_LIMIT": "off",
            "LOG_LEVEL": "ERROR",
        }
        django.setup()
        _report(tickets, Path(folder))


def vocabulary(seed: int = 1) -> list[str]:
    """Made-up words, the most common first."""
    made = random.Random(seed)
    parts = [a + b for a in "bcdfghjklmnprstvwxz" for b in "aeiou"]
    return ["".join(made.choices(parts, k=made.randint(2, 4))) + str(n % 7) for n in range(WORDS)]


def texts(count: int, words: list[str], seed: int = 2) -> Iterator[tuple[str, str]]:
    """A title and a reason for each ticket."""
    made = random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    total = made.choices(words, weights, k=count * 40)
    for place in range(count):
        own = total[place * 40 : place * 40 + 40]
        more = [words[int(len(words) * made.random() ** 3)] for _ in range(made.randint(20, 80))]
        yield " ".join(own[:6]), " ".join([*own[6:], *more])


def _report(tickets: int, folder: Path) -> None:
    from django.db import connection, transaction

    from bench.seed import Seeded, seed
    from stuckbot.site.server.startup import prepare_database
    from tickets.models import Ticket
    from tickets.search.document import Source
    from tickets.search.index import documents_of, search_write

    prepare_database(print)
    desk: Seeded = seed("free", tickets)
    words = vocabulary()
    started = perf_counter()
    rows = Ticket.objects.of(desk.org.id).order_by("number").values_list("id", "number")
    batch: list[Source] = []

    def keep() -> None:
        with transaction.atomic():
            search_write(desk.org.id, documents_of(batch))
        batch.clear()

    for (ticket_id, number), (title, reason) in zip(rows, texts(tickets, words), strict=True):
        package = {"title": title, "stuck_reason": reason}
        batch.append(
            Source(
                org_id=desk.org.id,
                ticket_id=ticket_id,
                number=number,
                project_id=desk.org.default_project_id or desk.org.id,
                reader_ids=[desk.actor.id],
                labels=[],
                title=title,
                summary={},
                package=package,
                answers=[],
            )
        )
        if len(batch) == 500:
            keep()
    keep()
    print(f"\nWritten in {perf_counter() - started:.0f} s ({connection.vendor}).")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE tickets_searchdoc")
    _searches(desk, words)
    _similar(desk, words)


def _searches(desk: Any, words: list[str]) -> None:
    from tickets.cards import cards_of
    from tickets.search.find import search
    from tickets.search.query import query_read

    made = random.Random(3)

    def pick(low: int, high: int) -> str:
        return words[made.randrange(low, min(high, len(words)))]

    print(
        "\n| what is searched for | found on page 1 | median ms | p95 ms | p95 CPU ms | of both |"
    )
    print("|---|---|---|---|---|---|")
    for name, make in QUERIES.items():
        asked = [query_read(make(pick)) for _ in range(RUNS)]

        def run(query: Any) -> int:
            page = search(actor=desk.actor, query=query, narrow=lambda all_: all_, limit=50)
            return len(cards_of(page.ticket_ids, desk.org.id))

        _row(name, run, asked)


def _similar(desk: Any, words: list[str]) -> None:
    from stuckbot.site.usecases.similar import similar_find

    asked = [
        {"title": title, "stuck_reason": reason} for title, reason in texts(RUNS, words, seed=9)
    ]
    _row("similar", lambda one: len(similar_find(actor=desk.actor, package=one)), asked)


def _row(name: str, run: Callable[[Any], int], asked: list[Any]) -> None:
    """`p95 CPU` is of this process, the last column's of this and the database's together."""
    walls, cpus, wholes, found = [], [], [], 0
    theirs = _database_cpu()
    for one in asked:
        wall, cpu, their = perf_counter(), process_time(), theirs()
        found += run(one)
        walls.append((perf_counter() - wall) * 1000)
        cpus.append((process_time() - cpu) * 1000)
        wholes.append(cpus[-1] + (theirs() - their) * 1000)
    at = int(len(asked) * 0.95)
    p95 = (sorted(all_)[at] for all_ in (walls, cpus, wholes))
    numbers = (found / len(asked), sorted(walls)[len(walls) // 2], *p95)
    print(f"| {name} | {' | '.join(f'{one:.1f}' for one in numbers)} |", flush=True)


def _database_cpu() -> Callable[[], float]:
    """Reads the seconds that the database's process for this connection has worked; none where it
    has none, or runs on another machine."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return lambda: 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        said = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")
    return lambda: int(said.read_text().split()[0]) / 1e9 if said.exists() else 0.0


if __name__ == "__main__":
    main()
