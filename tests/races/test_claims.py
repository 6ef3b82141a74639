"""One winner for each ticket, whoever comes when, with real processes."""

import time
from collections import Counter

from tests.interop.server import Server
from tests.races.checks import assert_events_in_order, assert_log_is_calm
from tests.support import make_package

RACERS = 8
TICKETS = 20
START_SECONDS = 3.0  # until the slowest racer stands at the line


def test_it_has_one_winner_for_each_ticket(server: Server) -> None:
    token = server.run("creating.token")["token"]
    keys = [f"race-{number}" for number in range(TICKETS)]
    ids = server.run("creating.many", token=token, package=make_package(), keys=keys)["ids"]
    tickets = list(ids.values())
    start_at = time.time() + START_SECONDS
    racers = [
        server.begin("racing.claims", name=f"racer {n}", tickets=tickets, start_at=start_at)
        for n in range(RACERS)
    ]
    told = [racer.result() for racer in racers]
    for ticket in tickets:
        seen = Counter(_outcome(one, ticket) for one in told)
        assert seen == {"won": 1, "409 already_claimed": RACERS - 1}, (ticket, seen)
    live = server.database.rows(
        "SELECT ticket_id, COUNT(*) FROM tickets_claim WHERE ended_at IS NULL GROUP BY ticket_id"
    )
    assert [count for _, count in live] == [1] * TICKETS
    assert_events_in_order(server)
    assert_log_is_calm(server)


def _outcome(told: dict[str, object], ticket: str) -> str:
    outcomes = told["outcomes"]
    assert isinstance(outcomes, dict)
    outcome = str(outcomes[ticket])
    return "won" if outcome == told["agent_id"] else outcome


def test_it_skips_no_event_while_eight_write(server: Server) -> None:
    """A reader of `/work` and one of a ticket's events hear all, once, in order."""
    token = server.run("creating.token", name="listener")["token"]
    # So many that agents do not talk in circles on any of them.
    keys = [f"busy-{number}" for number in range(20)]
    ids = server.run("creating.many", token=token, package=make_package(), keys=keys)["ids"]
    tickets = list(ids.values())
    each = 40
    start_at = time.time() + START_SECONDS
    ask = {"token": token, "seconds": 240, "ticket": tickets[0]}
    hears = server.begin("racing.hears", **ask, expected=8 * each)
    reads = server.begin("racing.reads", **ask, expected=8 * each // len(keys))
    writers = [
        server.begin(
            "racing.writes", name=f"writer {n}", tickets=tickets, count=each, start_at=start_at
        )
        for n in range(8)
    ]
    written = [body for writer in writers for body in writer.result(seconds=240)]
    heard, read = hears.result(seconds=240), reads.result(seconds=240)
    assert sorted(body for _, body in heard) == sorted(written)
    assert sorted(body for _, body in read) == sorted(
        body for body in written if int(body.rpartition(" ")[2]) % len(keys) == 0
    )
    for ids_seen in ([one[0] for one in heard], [one[0] for one in read]):
        assert ids_seen == sorted(set(ids_seen))
    assert_events_in_order(server)
    assert_log_is_calm(server)
