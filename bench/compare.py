"""Each operation in turn with the bare view it is held against, on one running server."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from django.db import connection

from bench.load import Load, ask, request, send
from bench.package import package
from bench.seed import Seeded
from bench.server import Server
from tickets.models import Ticket

ROUNDS = 7

Make = Callable[[int], list[bytes]]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation with its bare twin; each makes the requests of one round."""

    name: str
    ours: Make
    bare: Make
    status: int
    requests: int
    least: float


@dataclass(frozen=True, slots=True)
class Compared:
    """Medians over the rounds: answers a second, milliseconds of CPU an answer."""

    operation: Operation
    ours_per_second: float
    bare_per_second: float
    ours_cpu_ms: float
    bare_cpu_ms: float

    @property
    def ratio(self) -> float:
        return self.ours_per_second / self.bare_per_second

    @property
    def cpu_ratio(self) -> float:
        return self.ours_cpu_ms / self.bare_cpu_ms


def compare(server: Server, operation: Operation, rounds: int = ROUNDS) -> Compared:
    ours: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        bare.append(_round(server, operation.bare(operation.requests), {200, 201}))
        ours.append(_round(server, operation.ours(operation.requests), {operation.status}))
        if number == 0:  # the first fills caches
            ours.clear()
            bare.clear()
    return Compared(
        operation,
        median(one[0] for one in ours),
        median(one[0] for one in bare),
        median(one[1] for one in ours),
        median(one[1] for one in bare),
    )


def _round(server: Server, requests: Sequence[bytes], statuses: set[int]) -> tuple[float, float]:
    before = server.cpu()
    load: Load = send(server.port, requests)
    used = server.cpu() - before
    if not load.statuses <= statuses:
        raise RuntimeError(f"The server answered {sorted(load.statuses)}.")
    return load.per_second, used * 1000 / load.requests


def operations(server: Server, free: Seeded, leased: Seeded) -> list[Operation]:
    """What is measured. `free` has tickets to claim, `leased` has some that are held."""
    taken = _refs(leased, state="claimed")[:1]
    refs = iter(_refs(free, state="open"))

    def claims(count: int) -> list[bytes]:
        return [_claim(free, next(refs)) for _ in range(count)]

    def losers(count: int) -> list[bytes]:
        return [_claim(leased, taken[0]) for _ in range(count)]

    return [
        Operation("unchanged poll", _poll(server, free), _reads(free), 304, 600, 2.2),
        Operation("list of 25", _list(free), _reads(free), 200, 300, 0.5),
        Operation("losing claim", losers, _reads(leased), 409, 400, 0.0),
        Operation("claim", claims, _inserts(free, b"{}"), 200, 300, 0.5),
        Operation(
            "create, 6.5 KB", _creates(free), _inserts(free, _filed()), 201, 300, _create_least()
        ),
    ]


def _create_least() -> float:
    return 0.42 if connection.vendor == "postgresql" else 0.40


def _refs(seeded: Seeded, *, state: str) -> list[str]:
    rows = Ticket.objects.of(seeded.org.id).filter(state=state).order_by("number")
    return [f"SB-{number}" for number in rows.values_list("number", flat=True)]


def _claim(seeded: Seeded, ref: str) -> bytes:
    return request("POST", f"/api/v1/tickets/{ref}/claim", seeded.seeker, b"{}")


def _poll(server: Server, seeded: Seeded) -> Make:
    _, head, _ = ask(server.port, request("GET", "/api/v1/work", seeded.seeker))
    etag = head.split(b"ETag: ")[1].split(b"\r\n")[0].decode()
    one = request("GET", "/api/v1/work", seeded.seeker, If_None_Match=etag)
    return lambda count: [one] * count


def _list(seeded: Seeded) -> Make:
    one = request("GET", "/api/v1/tickets?limit=25", seeded.seeker)
    return lambda count: [one] * count


def _reads(seeded: Seeded) -> Make:
    one = request("GET", "/api/bare/read", seeded.seeker)
    return lambda count: [one] * count


def _inserts(seeded: Seeded, body: bytes) -> Make:
    return lambda count: [
        request("POST", "/api/bare/insert", seeded.seeker, body) for _ in range(count)
    ]


def _creates(seeded: Seeded) -> Make:
    body = _filed()
    return lambda count: [
        request("POST", "/api/v1/tickets", seeded.filer, body) for _ in range(count)
    ]


def _filed() -> bytes:
    return json.dumps({"package": package()}).encode()
