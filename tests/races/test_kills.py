"""`kill -9` of any part at any moment loses nothing and doubles nothing."""

from tests.interop.server import Server, eventually
from tests.races.checks import assert_events_in_order, assert_numbers_as_filed
from tests.races.processes import KINDS, Killer, parts
from tests.support import make_package

CREATES = 500
CLIENTS = 4


def test_it_makes_one_ticket_for_each_key_under_kills(server: Server) -> None:
    token = server.run("creating.token")["token"]
    keys = [f"kill-{number}" for number in range(CREATES)]
    ask = {"token": token, "package": make_package()}
    with Killer(server, seed=CREATES, longest_pause=0.6) as killer:
        filers = [
            server.begin("creating.many", **ask, keys=keys[n::CLIENTS]) for n in range(CLIENTS)
        ]
        told = [filer.result(seconds=300) for filer in filers]
        # Each part twice, however soon the filers were done.
        assert eventually(lambda: len(killer.killed) >= 2 * len(KINDS))
    assert set(killer.killed) == set(KINDS)
    ids = {key: made for one in told for key, made in one["ids"].items()}
    assert len(ids) == len(set(ids.values())) == CREATES
    assert _ticket_count(server) == CREATES

    again = server.run("creating.many", **ask, keys=keys)
    assert again["ids"] == ids
    assert _ticket_count(server) == CREATES
    assert_numbers_as_filed(server)
    assert_events_in_order(server)


def _ticket_count(server: Server) -> int:
    return int(server.database.rows("SELECT COUNT(*) FROM tickets_ticket")[0][0])


def test_it_ends_leases_that_run_out_while_the_worker_is_killed(server: Server) -> None:
    token = server.run("creating.token")["token"]
    ask = {"token": token, "package": make_package(title="A lease that ends")}
    ids = server.run("creating.many", **ask, keys=[f"lease-{n}" for n in range(10)])["ids"]
    tickets = list(ids.values())
    held = server.run("racing.claims", name="holder", tickets=tickets, start_at=0)
    assert set(held["outcomes"].values()) == {held["agent_id"]}
    with Killer(server, seed=1, longest_pause=0.5, kinds=("task guard", "task process")) as killer:
        assert eventually(lambda: len(killer.killed) >= 2)
        assert server.database.leases_run_out() == len(tickets)
        assert eventually(lambda: len(killer.killed) >= 6)
    live = "SELECT COUNT(*) FROM tickets_claim WHERE ended_at IS NULL"
    assert eventually(lambda: server.database.rows(live) == [(0,)])
    reasons = server.database.rows("SELECT end_reason FROM tickets_claim")
    assert reasons == [("expired",)] * len(tickets)
    held_still = "SELECT COUNT(*) FROM tickets_ticket WHERE claim_id IS NOT NULL OR state <> 'open'"
    assert server.database.rows(held_still) == [(0,)]
    ends_told = "SELECT COUNT(*) FROM core_event WHERE type = 'claim_expired'"
    assert server.database.rows(ends_told) == [(len(tickets),)]
    assert_events_in_order(server)
    assert eventually(lambda: all(parts(server)[kind] for kind in KINDS))
