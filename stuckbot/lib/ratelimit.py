"""Requests per minute, counted in Redis or in this process; never a row per request.

600 a minute with bursts of 120 in 5 seconds, per token. With Redis all processes share one count;
without, each of the N web processes allows limit/N. Cheap calls (polls, heartbeats, renewals)
count a tenth.
"""

import logging
import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, Final

import redis
from django.conf import settings

from stuckbot.lib import clock

log = logging.getLogger("stuckbot.ratelimit")

_WINDOW: Final = 60
_BURST_WINDOW: Final = 5
_BUCKETS_MOST: Final = 50_000
#: Costs are counted in tenths, so that Redis can add whole numbers.
_TENTHS: Final = 10


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left, for the `X-RateLimit-*` headers; `retry_after` is set when it is used up.

    `reset` is the Unix second at which the minute ends.
    """

    limit: int
    remaining: int
    reset: int
    retry_after: int | None = None


@dataclass(slots=True)
class _Bucket:
    window: int
    used: int
    burst_window: int
    burst_used: int


_buckets: "OrderedDict[str, _Bucket]" = OrderedDict()
_lock: Final = Lock()


def spend(key: str, cost: float = 1.0) -> Allowance | None:
    """Counts one call of `key`; None when limits are off."""
    limit = settings.RATE_LIMIT
    if limit is None:
        return None
    at = clock.now().timestamp()
    tenths = round(cost * _TENTHS)
    counted = _count_shared(key, tenths, at) if settings.REDIS_URL else None
    share = 1
    if counted is None:
        share = max(1, settings.WEB_WORKERS)
        counted = _count_here(key, tenths, at)
    used, burst_used = counted[0] * share / _TENTHS, counted[1] * share / _TENTHS
    return _allowance(limit, used, burst_used, at)


def _allowance(limit: int, used: float, burst_used: float, at: float) -> Allowance:
    reset = (int(at // _WINDOW) + 1) * _WINDOW
    if used > limit:
        return Allowance(limit, 0, reset, max(1, math.ceil(reset - at)))
    remaining = max(0, int(limit - used))
    if burst_used > settings.RATE_LIMIT_BURST:
        wait = (int(at // _BURST_WINDOW) + 1) * _BURST_WINDOW - at
        return Allowance(limit, remaining, reset, max(1, math.ceil(wait)))
    return Allowance(limit, remaining, reset)


def _count_here(key: str, tenths: int, at: float) -> tuple[int, int]:
    window, burst_window = int(at // _WINDOW), int(at // _BURST_WINDOW)
    with _lock:
        bucket = _buckets.get(key)
        if bucket is None:
            bucket = _buckets[key] = _Bucket(window, 0, burst_window, 0)
            while len(_buckets) > _BUCKETS_MOST:
                _buckets.popitem(last=False)
        if bucket.window != window:
            bucket.window, bucket.used = window, 0
        if bucket.burst_window != burst_window:
            bucket.burst_window, bucket.burst_used = burst_window, 0
        bucket.used += tenths
        bucket.burst_used += tenths
        return bucket.used, bucket.burst_used


@lru_cache(maxsize=1)
def _redis(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, socket_timeout=0.5, socket_connect_timeout=0.5)


def _count_shared(key: str, tenths: int, at: float) -> tuple[int, int] | None:
    """The count over all processes; None when Redis cannot be asked, so that calls go on."""
    minute = f"rate:{key}:{int(at // _WINDOW)}"
    burst = f"rate:{key}:b{int(at // _BURST_WINDOW)}"
    try:
        pipe = _redis(settings.REDIS_URL).pipeline(transaction=False)
        pipe.incrby(minute, tenths)
        pipe.expire(minute, _WINDOW)
        pipe.incrby(burst, tenths)
        pipe.expire(burst, _BURST_WINDOW)
        found: list[Any] = pipe.execute()
    except redis.RedisError as error:
        log.warning("redis does not answer: %s", type(error).__name__)
        return None
    return int(found[0]), int(found[2])
