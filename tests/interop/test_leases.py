"""Leases as the public client keeps and loses them."""

from typing import Any

from tests.interop.server import Server, eventually
from tests.support import make_package


def test_it_renews_a_lease_until_its_own_submit_ends_it(server: Server) -> None:
    told = server.run("leases.renewed", package=make_package())
    assert told["renewals"] >= 3
    assert told["held"]
    assert told["ends"] > told["first"]
    assert told["length"] >= 300
    assert (told["code"], told["lost"]) == ("state_changed", False)


def test_it_tells_a_holder_whose_lease_ran_out(server: Server) -> None:
    made = server.run("creating.one", **_create_ask(server, "ran-out"))
    solver = server.begin("leases.lost", ticket=made["id"])
    ticket = f"id = '{_key(server, made['id'])}'"
    held = f"SELECT 1 FROM tickets_ticket WHERE {ticket} AND state = 'claimed'"
    assert eventually(lambda: bool(server.database.rows(held)))
    assert server.database.leases_run_out(ticket) == 1
    assert solver.result() == {"lost": True, "code": "not_claim_holder", "held": False}
    freed = f"SELECT 1 FROM tickets_ticket WHERE {ticket} AND state = 'open'"
    assert eventually(lambda: bool(server.database.rows(freed)))


def test_it_gives_the_ticket_back_when_the_solver_fails(server: Server) -> None:
    told = server.run("leases.released_on_error", package=make_package())
    assert (told["raised"], told["released"], told["state"]) == ("ZeroDivisionError", True, "open")
    last = told["events"][-1]
    assert last["type"] == "ticket_released"
    assert "ZeroDivisionError" in last["content"]["note"]


def test_it_withdraws_escalates_and_releases(server: Server) -> None:
    told = server.run("leases.ends", package=make_package())
    assert told == {"withdrawn": "withdrawn", "escalated": "needs_human", "released": "open"}


def _create_ask(server: Server, key: str) -> dict[str, Any]:
    token = server.run("creating.token")["token"]
    return {"token": token, "package": make_package(), "key": key}


def _key(server: Server, ticket_id: str) -> str:
    return ticket_id.replace("-", "") if server.database.is_sqlite else ticket_id
