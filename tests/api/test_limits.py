"""How many calls a minute, and what an answer says of it."""

from datetime import timedelta
from typing import Any

import time_machine

from stuckbot.lib import clock
from tests.api.refusals import nothing_changes, refused
from tests.support import Api, Reply, file_ticket


def _shown(reply: Reply) -> tuple[int, int, int]:
    names = ("Limit", "Remaining", "Reset")
    limit, remaining, reset = (int(reply.header(f"X-RateLimit-{name}") or "x") for name in names)
    return limit, remaining, reset


def test_it_counts_down_on_every_answer(stuck: Api, settings: Any) -> None:
    settings.WEB_WORKERS = 1
    with time_machine.travel(clock.now(), tick=False):
        now = int(clock.now().timestamp())
        seen = [
            stuck.get("/api/v1/tickets"),
            stuck.get("/api/v1/tickets/SB-9"),
            stuck.post("/api/v1/tickets", {}),
            stuck.post("/api/v1/tickets", {}, idempotency_key="k"),
        ]
        assert [_shown(reply)[1] for reply in seen] == [599, 598, 597, 596]
        assert all(_shown(reply)[0] == 600 for reply in seen)
        assert all(now < _shown(reply)[2] <= now + 60 for reply in seen)
    assert Api("").get("/api/v1/tickets").header("X-RateLimit-Limit") is None
    assert stuck.get("/api/v1").header("X-RateLimit-Limit") is None


def test_it_refuses_what_is_too_much_and_says_when(stuck: Api, settings: Any) -> None:
    file_ticket(stuck)
    settings.WEB_WORKERS, settings.RATE_LIMIT = 1, 3
    start = clock.now().replace(second=0, microsecond=0) + timedelta(minutes=5)
    with time_machine.travel(start, tick=False) as traveller:
        for _ in range(3):
            assert stuck.get("/api/v1/tickets").status == 200
        with nothing_changes():
            reply = stuck.post("/api/v1/tickets/SB-1/comments", {"body": "x"})
            refused(reply, 429, "rate_limited")
        assert 1 <= int(reply.header("Retry-After") or 0) <= 60
        assert _shown(reply)[:2] == (3, 0)
        traveller.shift(timedelta(seconds=int(reply.header("Retry-After") or 0)))
        assert stuck.get("/api/v1/tickets").status == 200


def test_it_allows_bursts_and_no_flood(stuck: Api, settings: Any) -> None:
    settings.WEB_WORKERS, settings.RATE_LIMIT_BURST = 1, 4
    start = clock.now().replace(second=0, microsecond=0) + timedelta(minutes=5)
    with time_machine.travel(start, tick=False) as traveller:
        heard = [stuck.get("/api/v1/agents/me") for _ in range(5)]
        assert [reply.status for reply in heard] == [200, 200, 200, 200, 429]
        assert int(heard[-1].header("Retry-After") or 0) == 5
        traveller.shift(timedelta(seconds=5))
        assert stuck.get("/api/v1/agents/me").status == 200


def test_it_counts_cheap_calls_a_tenth(stuck: Api, settings: Any) -> None:
    settings.WEB_WORKERS, settings.RATE_LIMIT = 1, 2
    with time_machine.travel(clock.now(), tick=False):
        for _ in range(10):
            assert stuck.get("/api/v1/work").status == 200
            assert stuck.post("/api/v1/agents/me/heartbeat", {}).status == 200
        refused(stuck.get("/api/v1/work"), 429, "rate_limited")


def test_it_counts_bad_tokens_by_address(db: None, settings: Any) -> None:
    settings.WEB_WORKERS, settings.RATE_LIMIT = 1, 2
    with time_machine.travel(clock.now(), tick=False):
        for _ in range(2):
            refused(Api("sba_half").get("/api/v1/work"), 401, "invalid_token")
        refused(Api("sba_half").get("/api/v1/work"), 429, "rate_limited")


def test_it_counts_nothing_when_limits_are_off(stuck: Api, settings: Any) -> None:
    settings.RATE_LIMIT = None
    replies = [stuck.get("/api/v1/agents/me") for _ in range(130)]
    assert {reply.status for reply in replies} == {200}
    assert replies[0].header("X-RateLimit-Limit") is None
