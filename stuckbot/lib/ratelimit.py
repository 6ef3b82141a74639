"""Requests per minute, counted in this process or in Redis; never a row per request.

600 a minute with bursts of 120 in 5 seconds, per token. Without Redis each of the N web processes
allows limit/N. Cheap calls (polls, heartbeats, renewals) count a tenth.
"""

import math
import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from django.conf import settings

_WINDOW: Final = 60.0
_BURST_WINDOW: Final = 5.0
_BUCKETS_MOST: Final = 50_000


@dataclass(slots=True)
class _Bucket:
    window: int
    used: float
    burst_window: int
    burst_used: float


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left, for the `X-RateLimit-*` headers; `retry_after` is set when it is used up."""

    limit: int
    remaining: int
    reset: int
    retry_after: int | None = None


_buckets: "OrderedDict[str, _Bucket]" = OrderedDict()
_lock: Final = Lock()


def spend(key: str, cost: float = 1.0) -> Allowance | None:
    """Counts one call of `key`; None when limits are off."""
    limit = settings.RATE_LIMIT
    if limit is None:
        return None
    at = time.time()
    share = max(1, settings.WEB_WORKERS)
    with _lock:
        bucket = _bucket(key, at)
        burst_full = bucket.burst_used + cost > settings.RATE_LIMIT_BURST / share
        full = bucket.used + cost > limit / share
        if not full and not burst_full:
            bucket.used += cost
            bucket.burst_used += cost
        used = bucket.used
    reset = math.ceil((int(at // _WINDOW) + 1) * _WINDOW)
    remaining = max(0, int(limit - used * share))
    if full:
        return Allowance(limit, 0, reset, max(1, math.ceil(reset - at)))
    if burst_full:
        wait = (int(at // _BURST_WINDOW) + 1) * _BURST_WINDOW - at
        return Allowance(limit, remaining, reset, max(1, math.ceil(wait)))
    return Allowance(limit, remaining, reset)


def _bucket(key: str, at: float) -> _Bucket:
    window, burst_window = int(at // _WINDOW), int(at // _BURST_WINDOW)
    bucket = _buckets.get(key)
    if bucket is None:
        bucket = _buckets[key] = _Bucket(window, 0.0, burst_window, 0.0)
        while len(_buckets) > _BUCKETS_MOST:
            _buckets.popitem(last=False)
    if bucket.window != window:
        bucket.window, bucket.used = window, 0.0
    if bucket.burst_window != burst_window:
        bucket.burst_window, bucket.burst_used = burst_window, 0.0
    return bucket
