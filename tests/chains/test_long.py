"""Long chains: fifty handoffs, who hears of them, and what they cost."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.chains.house import claim, detail, hand_on, row, types
from tests.matrix.scene import approval
from tests.support import Api, Desk, file_ticket, make_package, prove


@pytest.fixture
def pair(solver: Api, racer: Api) -> list[Api]:
    return [solver, racer]


def chain(stuck: Api, pair: list[Api], length: int) -> None:
    """`length` tickets, each handed on by whoever took it, in turn."""
    file_ticket(stuck)
    for number in range(1, length):
        api = pair[number % 2]
        claim(api, f"SB-{number}")
        hand_on(api, f"SB-{number}", reason=f"Part {number} is done").ok(201)


def solve(api: Api, ref: str) -> None:
    claim(api, ref)
    prove(api, ref).ok(201)
    sent = {"stage": "blocker", "outcome": "The image is built"}
    api.post(f"/api/v1/tickets/{ref}/submit", sent).ok()


def cost(call: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def test_fifty_in_a_chain(
    settings: pytest.FixtureRequest, desk: Desk, stuck: Api, pair: list[Api]
) -> None:
    settings.RATE_LIMIT = None  # type: ignore[attr-defined]
    chain(stuck, pair, 3)
    short = [cost(partial(detail, stuck, ref)) for ref in ("SB-1", "SB-2", "SB-3")]
    hands = []
    for number in range(3, 50):
        api = pair[number % 2]
        claim(api, f"SB-{number}")
        ref = f"SB-{number}"
        hands.append(cost(partial(hand_on, api, ref)))
        assert row(desk, number).state == "handed_off"
    assert len(set(hands)) == 1
    long = [cost(partial(detail, stuck, ref)) for ref in ("SB-1", "SB-25", "SB-50")]
    assert long == short
    for number in (1, 25, 50):
        shown = detail(stuck, f"SB-{number}")
        assert [one["ref"] for one in shown["chain"]] == [f"SB-{n}" for n in range(1, 51)]
        assert (shown["chain_more"], shown["depth"]) == (0, number - 1)
    solve(stuck, "SB-50")
    heard = [one for api in pair for one in _heard(api, "SB-50")]
    assert heard.count("stage_approved") == 2
    assert stuck.post("/api/v1/tickets/SB-1/reopen").details["tip"] == "SB-50"


def _heard(api: Api, ref: str) -> list[str]:
    ticket_id = detail(api, ref)["id"]
    found, cursor = [], None
    while True:
        poll = api.get("/api/v1/work" + (f"?cursor={cursor}" if cursor else "")).ok()
        found += [one["type"] for one in poll["updates"] if one["ticket_id"] == ticket_id]
        if len(poll["updates"]) < 200:
            return found
        cursor = poll["next_cursor"]


def test_more_than_fifty_show_the_root_and_the_newest(
    settings: pytest.FixtureRequest, stuck: Api, pair: list[Api]
) -> None:
    settings.RATE_LIMIT = None  # type: ignore[attr-defined]
    chain(stuck, pair, 53)
    shown = detail(stuck, "SB-7")
    refs = [one["ref"] for one in shown["chain"]]
    assert refs == ["SB-1", *(f"SB-{n}" for n in range(5, 54))]
    assert shown["chain_more"] == 3


def test_everybody_who_filed_a_part_hears_how_it_ended(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    chain(stuck, [solver, racer], 3)  # racer hands on SB-1, solver SB-2
    last = desk.agent("last")
    solve(last, "SB-3")
    for api in (stuck, racer, solver):
        told = [one for one in _updates(api) if one["ticket_id"] == detail(api, "SB-3")["id"]]
        approved = [one for one in told if one["type"] == "stage_approved"]
        assert len(approved) == 1
        assert approved[0]["content"]["outcome"] == "The image is built"
    assert _heard(stuck, "SB-3") == ["stage_approved"]
    assert _heard(last, "SB-3") == []
    assert _heard(stuck, "SB-2") == ["ticket_handed_off"]


def _updates(api: Api) -> list[dict[str, Any]]:
    return api.get("/api/v1/work").ok()["updates"]  # type: ignore[no-any-return]


def test_the_creator_of_the_root_hears_of_a_close(
    desk: Desk, stuck: Api, solver: Api, racer: Api, alice: Api
) -> None:
    chain(stuck, [solver, racer], 2)
    alice.post("/api/v1/tickets/SB-2/close", {"outcome": "Not needed any more"}).ok()
    assert _heard(stuck, "SB-2") == ["ticket_closed"]
    alice.post("/api/v1/tickets/SB-2/reopen").ok()
    assert _heard(stuck, "SB-2") == ["ticket_closed", "ticket_reopened"]
    assert types(desk, 2) == ["ticket_created", "ticket_closed", "ticket_reopened"]


def test_nobody_checks_what_they_asked_for_earlier(desk: Desk, stuck: Api, solver: Api) -> None:
    """Who filed an earlier ticket of the chain may not verify a later one."""
    scopes = ["verify", "tickets:create", "tickets:claim", "handoff:create", "tickets:read_project"]
    filer, checker = desk.agent("filer", scopes=scopes), desk.agent("checker", scopes=["verify"])
    file_ticket(filer)
    claim(solver, "SB-1")
    hand_on(solver, "SB-1", package=make_package()).ok(201)
    approval(desk, "agent")  # type: ignore[arg-type]
    last = desk.agent("last")
    solve(last, "SB-2")
    assert filer.get("/api/v1/verifications").ok()["verifications"] == []
    jobs = checker.get("/api/v1/verifications").ok()["verifications"]
    assert [one["ticket_ref"] for one in jobs] == ["SB-2"]
    reply = filer.post(f"/api/v1/verifications/{jobs[0]['id']}/claim")
    assert (reply.status, reply.code) == (403, "not_eligible")
