"""What checking a package costs, in this thread's own time and at its best of several: a busy
machine must not decide."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import re2

from bench.package import package
from stuckbot.lib import strict_json
from tickets.packages import commands
from tickets.packages.check import check_package
from verification.judging import Criterion, judge


def best_of(times: int, call: Callable[[], object], before: Callable[[], object]) -> float:
    taken = []
    for _ in range(times):
        before()
        started = time.thread_time()
        call()
        taken.append(time.thread_time() - started)
    return min(taken)


def forget() -> None:
    commands._compiled.cache_clear()
    re2.purge()


def test_a_package_is_checked_within_a_millisecond() -> None:
    raw = package()
    assert 6_000 < len(strict_json.dumps(raw)) < 7_000
    assert best_of(50, lambda: check_package(raw), forget) < 0.001


def log_checks(patterns: list[str]) -> dict[str, Any]:
    """A package of as many of these patterns as the limits on its size and criteria let in."""
    made = {**package(), "blocker_criteria": [], "task_criteria": []}
    for n, pattern in enumerate(patterns):
        stage = "blocker_criteria" if n < 50 else "task_criteria"
        made[stage].append(
            {"description": "d", "method": "log_match", "pattern": pattern, "expected": "x"}
        )
        if len(strict_json.dumps(made)) > 262_144:
            made[stage].pop()
            break
    return made


DEAR = {
    "repeated": [f"x{{0,{n}}}" for n in range(900, 1_000)],
    "refused": [f"x{{0,{n}}}" * 400 for n in range(100, 200)],
    "refused and short": [f"x{{0,1000}}{n}" * 40 for n in range(100)],
    "any character": [f".{{0,{n}}}" * 500 for n in range(10, 100)],
    "optional": ["x?" * n for n in range(900, 990)],
    "properties": [f"(?:(?i)\\pL){{0}}{n}" * 16 for n in range(100)],
    "letters of any case": [f"(?i){n}" + "[а-я]" * 700 for n in range(100)],
    "long": ["k" * 3_990 + str(n) for n in range(60)],
    "malformed": [f"(?i){n}" + "[а-я]" * 700 + "(" for n in range(60)],
    "never reached": [f"(?:x{{0,1000}}){{0}}{n}" for n in range(100)],
}


@pytest.mark.parametrize("kind", DEAR)
def test_no_package_of_patterns_takes_fifty_milliseconds(kind: str) -> None:
    raw = log_checks(DEAR[kind])
    assert best_of(3, lambda: check_package(raw), forget) < 0.05


@pytest.mark.parametrize("pattern", ["x?" * 985 + "y", "x{0,1000}y", "(x|xx){0,300}y", "(x*)*y"])
def test_no_pattern_is_searched_for_long(pattern: str) -> None:
    criterion = Criterion("b1", "log_match", pattern=pattern)
    payload = {"excerpt": "x" * 4_000}
    assert commands.compile_pattern(pattern) is not None
    search = lambda: judge(criterion, "log_match", payload)  # noqa: E731
    assert best_of(3, search, lambda: None) < 0.2
