"""What callers see of a check, and which evidence asks for one."""

from typing import Any

import pytest

from stuckbot.lib.outgoing import NOBODY, Answered, Result, probe
from tests.checks.bench import BROKEN, FINE, PRIVATE, SILENT, Opened, opened, taken
from tests.support import Api, Desk
from tests.verification.bench import COMMAND, WORK, decide, policy
from verification.models import UrlCheck

NOTHING = {
    "status": "unchecked",
    "reason": "not_checked_yet",
    "last_reason": None,
    "http_status": None,
    "took_ms": None,
    "tries": 0,
    "allowed": False,
    "checked_at": None,
}
LOOSE = {
    "description": "Some page answers",
    "method": "external_check",
    "expected": "200",
}


@pytest.fixture
def looked(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver, COMMAND, LOOSE)
    made.begin()
    return made


def _checks(looked: Opened) -> list[Any]:
    return [one["check"] for one in looked.shown()["evidence"]]


def test_a_report_says_that_nothing_was_checked_yet(looked: Opened) -> None:
    reported = looked.report()
    check = reported["check"]
    assert check.pop("next_try_at") is not None
    assert (check, reported["result"]) == (NOTHING, "waiting")
    (shown,) = _checks(looked)
    assert shown.pop("next_try_at") is not None
    assert shown == NOTHING
    taken()
    assert _checks(looked) == [{**NOTHING, "next_try_at": None}]


def test_a_try_without_an_answer_says_why_and_when_the_next_is(looked: Opened) -> None:
    looked.report()
    opened(SILENT)
    (shown,) = _checks(looked)
    assert (shown["reason"], shown["last_reason"]) == ("not_checked_yet", "timeout")
    assert (shown["tries"], shown["took_ms"]) == (1, 10_000)
    assert shown["next_try_at"] > looked.shown()["updated_at"]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (FINE, {"status": "checked", "reason": None, "http_status": 200, "took_ms": 120}),
        (BROKEN, {"status": "checked", "reason": None, "http_status": 500, "took_ms": 90}),
        (PRIVATE, {"status": "unchecked", "reason": "not_public", "http_status": None}),
        (Answered(204, "10.0.0.8", 5, True), {"status": "checked", "allowed": True}),
    ],
)
def test_the_report_and_the_desks_evidence_tell_the_same(
    seen: Result, expected: dict[str, Any], looked: Opened
) -> None:
    looked.report()
    opened(seen)
    first, second = _checks(looked)
    assert first == second
    assert {name: first[name] for name in expected} == expected
    assert (first["tries"], first["checked_at"] is not None) == (1, True)


def test_the_address_is_for_operators(looked: Opened) -> None:
    looked.report()
    opened(FINE)
    assert looked.check.address == "93.184.216.34"
    assert "93.184.216.34" not in looked.solver.get(looked.path).response.content.decode()


def test_a_person_who_holds_the_ticket_reports_alike(
    desk: Desk, stuck: Api, solver: Api, alice: Api
) -> None:
    looked = Opened(desk, stuck, solver)
    looked.begin(alice)
    looked.report(alice)
    opened(FINE)
    assert looked.standing() == "passed"


def test_other_evidence_asks_for_nothing(looked: Opened) -> None:
    sent = {"criterion": "b2", "type": "command_run"}
    payload = {"command": COMMAND["command"], "exit_code": 0}
    looked.solver.post(f"{looked.path}/evidence", {**sent, "payload": payload}).ok(201)
    loose = {"url": "https://b.example/", "status": 200}
    body = {"criterion": "b3", "type": "external_check", "payload": loose}
    judged = looked.solver.post(f"{looked.path}/evidence", body).ok(201)["evidence"]
    assert (judged["result"], judged["check"]) == ("pass", None)
    assert looked.checks == []


def test_who_decides_has_looked_for_themselves(desk: Desk, stuck: Api, solver: Api) -> None:
    looked = Opened(desk, stuck, solver)
    looked.begin()
    policy(desk, blocker="agent")
    looked.report()
    opened(PRIVATE)
    looked.hand_in()
    verifier = desk.agent("verifier", scopes=[*WORK, "verify"])
    sent = {"criterion": "b1", "type": "external_check"}
    payload = {"url": looked.check.url, "status": 200}
    reply = decide(verifier, str(looked.job.id), evidence=[{**sent, "payload": payload}])
    assert reply.ok()["verification"]["state"] == "approved"
    assert len(looked.checks) == 1
    assert looked.standing() == "passed"


def test_a_masked_url_is_not_opened(desk: Desk, stuck: Api, solver: Api) -> None:
    looked = Opened(desk, stuck, solver)
    looked.begin()
    looked.report()
    UrlCheck.objects.of(desk.org.id).update(url="https://a.example/?key=[REDACTED]")
    opened(probe(looked.check.url, allowed=NOBODY))
    assert (looked.check.status, looked.check.reason) == ("unchecked", "masked")
