"""An agent is never woken by what it does, nor by what the desk does on its behalf.

That no action of any state wakes who did it is held by `tests/matrix/test_transitions.py`; here
are the acts that the desk adds something to.
"""

from datetime import timedelta

import time_machine

from stuckbot.lib import clock
from tests.support import TAKEOVER, Api, Desk, file_ticket, make_package, prove, resolve


def token(number: int) -> str:
    """What looks like a GitHub token, put together where nobody greps for one."""
    return "ghp_" + f"{number}".rjust(4, "A") + "16C7e42F292c6912E7710c838347Ae17"


def heard(api: Api) -> list[str]:
    return [one["type"] for one in api.get("/api/v1/work").ok()["updates"]]


def test_an_approval_by_the_desk_wakes_no_solver(stuck: Api, solver: Api) -> None:
    file_ticket(stuck, **TAKEOVER)
    etag = solver.get("/api/v1/work?mode=blocker_only").header("ETag") or ""
    assert resolve(solver, "SB-1")["state"] == "blocker_resolved"
    assert heard(solver) == []
    assert solver.get("/api/v1/work?mode=blocker_only", if_none_match=etag).status == 304
    assert heard(stuck)[-2:] == ["stage_submitted", "stage_approved"]


def test_a_masked_secret_wakes_nobody_who_wrote_it(stuck: Api, solver: Api) -> None:
    secret = token(1)
    file_ticket(stuck, objective=f"Use {secret}")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": f"with {secret}"}).ok(201)
    prove(solver, "SB-1", output_excerpt=f"token {secret}").ok(201)
    assert heard(solver) == []
    package = make_package(objective=f"Use {token(2)}")
    stuck.post("/api/v1/tickets", {"package": package}).ok(201)
    assert heard(stuck).count("secret_masked") == 2  # what the solver wrote, not its own


def test_a_lease_that_ran_out_wakes_no_one_who_takes_it_again(
    desk: Desk, stuck: Api, solver: Api
) -> None:
    """Else it would take the end of the old lease for the end of the new one."""
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        solver.post("/api/v1/tickets/SB-1/claim").ok()
        assert heard(solver) == []
        assert heard(stuck) == ["ticket_claimed", "claim_expired", "ticket_claimed"]


def test_who_retires_hears_nothing_of_it_and_others_do(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    solver.post("/api/v1/agents/me/retire").ok()
    assert heard(stuck) == ["ticket_claimed", "ticket_released"]


def test_a_comment_reaches_all_who_are_concerned(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    racer.post("/api/v1/tickets/SB-1/comments", {"body": "Seen it before"}).ok(201)
    assert heard(stuck) == ["ticket_claimed", "comment_added"]
    assert heard(solver) == ["comment_added"]
    assert heard(racer) == []
