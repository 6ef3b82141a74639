"""Runs every measurement and prints what docs/benchmarks.md quotes, as Markdown tables."""

from pathlib import Path

from django.db import connection

from bench.compare import Compared, compare, operations
from bench.finding import Finding, measure
from bench.load import request, send
from bench.seed import SHAPES, Seeded, seed
from bench.server import Server, serving
from stuckbot.site.server.startup import prepare_database

MEGABYTE = 1_048_576
#: New connections for each of so many parts of the load: they spread over the processes anew.
BATCHES = 10


def report(*, quick: bool, folder: Path) -> None:
    prepare_database(print)
    tickets = 2_000 if quick else 100_000
    print(f"\n## Finding work among {tickets:,} open tickets ({connection.vendor})\n")
    print("| shape | returned | visited per row | median ms | p99 ms | p99 ms at the client |")
    print("|---|---|---|---|---|---|")
    for shape in SHAPES:
        print(
            finding_row(shape, measure(seed(shape, tickets), 100 if quick else 1_000)), flush=True
        )
    free, leased = seed("free", 2_000 if quick else 6_000), seed("leased", 400)
    connection.close()
    # One web process: then the server is what limits, not the client on the other core.
    with serving(workers=1) as server:
        print("\n## Operations against the bare view\n")
        print("| operation | ours /s | bare /s | ratio | CPU ms | bare CPU ms | wanted |")
        print("|---|---|---|---|---|---|---|")
        for operation in operations(server, free, leased):
            print(compared_row(compare(server, operation, 2 if quick else 7)), flush=True)
    with serving(workers=2) as server:
        _memory(server, free, 1_000 if quick else 10_000)


def finding_row(shape: str, found: Finding) -> str:
    visited = "-" if found.visited_per_row is None else f"{found.visited_per_row:.1f}"
    return (
        f"| {shape} | {found.returned} | {visited} | {found.median_ms:.2f} | {found.p99_ms:.2f} "
        f"| {found.client_p99_ms:.2f} |"
    )


def compared_row(found: Compared) -> str:
    least = found.operation.least
    return (
        f"| {found.operation.name} | {found.ours_per_second:.0f} | {found.bare_per_second:.0f} "
        f"| {found.ratio:.2f} | {found.ours_cpu_ms:.2f} | {found.bare_cpu_ms:.2f} "
        f"| {f'≥ {least}' if least else 'CPU ≤ 1.2 × bare'} |"
    )


def _memory(server: Server, seeded: Seeded, requests: int) -> None:
    """The tree fills up as one thread after the other is called for the first time: three times."""
    calls = [
        request("GET", path, seeded.seeker)
        for path in ("/api/v1/tickets?limit=25", "/api/v1/work", "/api/v1/agents/me")
    ]
    calls.append(request("POST", "/api/v1/agents/me/heartbeat", seeded.seeker, b"{}"))
    batch = (calls * requests)[: requests // BATCHES]
    weights = [server.memory()]
    for _ in range(3):
        for _ in range(BATCHES):
            send(server.port, batch, connections=16)
        weights.append(server.memory())
    shown = ", ".join(f"{weight / MEGABYTE:.1f}" for weight in weights)
    print(f"\nMemory of the whole tree in MB PSS, after each {requests:,} requests: {shown}.")
