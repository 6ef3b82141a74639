"""An agent that files one and the same problem again and again is noticed."""

from typing import Any

import pytest

from stuckbot.lib.models import Event
from tests.support import Api, Desk, file_ticket, make_package
from tickets.loops import REPEATS_MOST


@pytest.fixture(autouse=True)
def _no_limits(settings: Any) -> None:
    settings.RATE_LIMIT = settings.RATE_LIMIT_BURST = 1_000_000


def suspected(desk: Desk) -> list[dict[str, Any]]:
    events = Event.objects.of(desk.org.id).filter(type="loop_suspected").order_by("seq")
    return list(events.values_list("data", flat=True))


def test_one_problem_filed_again_and_again_is_told(desk: Desk, stuck: Api, racer: Api) -> None:
    for _ in range(REPEATS_MOST - 1):
        file_ticket(stuck)
    file_ticket(racer)
    assert suspected(desk) == []
    ticket = file_ticket(stuck)
    (told,) = suspected(desk)
    assert (told["what"], told["times"]) == ("files", REPEATS_MOST)
    assert ticket["status_color"] == "ORANGE"
    file_ticket(stuck)
    for number in range(REPEATS_MOST):
        package = make_package(stuck_reason=f"another problem called {'x' * number}")
        stuck.post("/api/v1/tickets", {"package": package}).ok(201)
    assert len(suspected(desk)) == 1
