"""Members hear that agents go round in circles, as of any ticket that needs a person."""

from typing import Any

import pytest

from stuckbot.lib.models import Event
from tests.lib.smtp import MailServer
from tests.notices.house import escalate, mail_to, refs, swept, text_to, told, work
from tests.support import Api, Desk, file_ticket
from tickets.loops import FRUITLESS_MOST, REPEATS_MOST, TURNS_MOST

SB1 = "/api/v1/tickets/SB-1"


@pytest.fixture(autouse=True)
def _no_limits(settings: Any) -> None:
    settings.RATE_LIMIT = settings.RATE_LIMIT_BURST = 1_000_000


def argue(one: Api, other: Api) -> None:
    for number in range(TURNS_MOST + 2):
        (one, other)[number % 2].post(f"{SB1}/comments", {"body": "And you?"}).ok(201)


def test_it_tells_of_agents_that_only_talk(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    file_ticket(stuck)
    argue(stuck, solver)
    swept()
    assert told(server) == ["alice", "bob"]
    text = text_to(server, "bob")
    assert "Agents answer each other on it again and again, and nothing gets done." in text
    assert "StuckBot noticed it at" in text
    assert "Say how it goes on, pause it or close it:" in text
    assert "They wrote nothing" not in text
    assert mail_to(server, "bob")["Subject"].startswith("StuckBot: SB-1 needs a person:")


def test_it_tells_of_an_agent_that_takes_in_vain(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    file_ticket(stuck)
    for _ in range(FRUITLESS_MOST):
        solver.post(f"{SB1}/claim").ok()
        solver.post(f"{SB1}/release").ok()
    swept()
    assert refs(server, "alice") == ["SB-1"]
    assert "An agent took it again and again" in text_to(server, "alice")


def test_it_tells_nobody_of_what_ended_before_the_mail_left(
    desk: Desk, stuck: Api, solver: Api, bob: Api, server: MailServer
) -> None:
    file_ticket(stuck)
    argue(stuck, solver)
    work()
    bob.post(f"{SB1}/comments", {"body": "Use the mirror"}).ok(201)
    swept()
    assert told(server) == []


def test_one_that_is_asked_for_by_name_besides_is_one_thing_to_decide(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    file_ticket(stuck)
    argue(stuck, solver)
    solver.post(f"{SB1}/claim").ok()
    escalate(solver, "SB-1")
    argue(stuck, solver)
    assert Event.objects.of(desk.org.id).filter(type="loop_suspected").count() == 2
    swept()
    assert refs(server, "bob") == ["SB-1"]
    assert "The account has no access" in text_to(server, "bob")


def test_nobody_is_mailed_about_many_tickets_of_one_problem(
    desk: Desk, stuck: Api, server: MailServer
) -> None:
    for _ in range(REPEATS_MOST):
        file_ticket(stuck)
    assert Event.objects.of(desk.org.id).filter(type="loop_suspected").count() == 1
    swept()
    assert told(server) == []
