"""Rate limits, in a process and in a real Redis."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine

from stuckbot.lib import clock, ratelimit
from tests.ports import free_port


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    program = shutil.which("redis-server")
    assert program, "redis-server is missing; on Debian: apt-get install redis-server"
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(10)
        ratelimit._redis.cache_clear()


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("redis-server did not come up")


@pytest.fixture(autouse=True)
def _within_one_minute() -> Iterator[None]:
    """Calls are counted by the minute of the clock, which must not end between two of them."""
    with time_machine.travel(clock.now(), tick=False):
        yield


def test_it_refuses_past_the_limit(settings: Any) -> None:
    settings.RATE_LIMIT, settings.RATE_LIMIT_BURST, settings.WEB_WORKERS = 4, 100, 1
    found = [ratelimit.spend("token:a") for _ in range(5)]
    assert [one.remaining for one in found if one] == [3, 2, 1, 0, 0]
    assert [one.retry_after is not None for one in found if one] == [False] * 4 + [True]
    assert ratelimit.spend("token:b").retry_after is None  # type: ignore[union-attr]


def test_it_allows_each_process_its_share(settings: Any) -> None:
    settings.RATE_LIMIT, settings.RATE_LIMIT_BURST, settings.WEB_WORKERS = 10, 100, 2
    found = [ratelimit.spend("token:a") for _ in range(6)]
    assert [one.retry_after is not None for one in found if one] == [False] * 5 + [True]


def test_it_counts_a_cheap_call_as_a_tenth(settings: Any) -> None:
    settings.RATE_LIMIT, settings.RATE_LIMIT_BURST, settings.WEB_WORKERS = 1, 100, 1
    found = [ratelimit.spend("token:a", 0.1) for _ in range(11)]
    assert [one.retry_after is not None for one in found if one] == [False] * 10 + [True]


def test_it_stops_a_burst(settings: Any) -> None:
    settings.RATE_LIMIT, settings.RATE_LIMIT_BURST, settings.WEB_WORKERS = 600, 3, 1
    found = [ratelimit.spend("token:a") for _ in range(4)]
    assert found[3] is not None
    assert 1 <= (found[3].retry_after or 0) <= 5


def test_it_is_off_when_told(settings: Any) -> None:
    settings.RATE_LIMIT = None
    assert ratelimit.spend("token:a") is None


@pytest.mark.services
def test_it_shares_one_count_in_redis(settings: Any, redis_url: str) -> None:
    settings.REDIS_URL, settings.RATE_LIMIT, settings.WEB_WORKERS = redis_url, 4, 2
    settings.RATE_LIMIT_BURST = 100
    found = [ratelimit.spend("token:a") for _ in range(5)]
    assert [one.retry_after is not None for one in found if one] == [False] * 4 + [True]
    assert not ratelimit._buckets


def test_it_goes_on_without_redis(settings: Any) -> None:
    settings.REDIS_URL, settings.RATE_LIMIT, settings.WEB_WORKERS = "redis://127.0.0.1:1/0", 4, 1
    assert ratelimit.spend("token:a").remaining == 3  # type: ignore[union-attr]
    ratelimit._redis.cache_clear()
