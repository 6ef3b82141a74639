"""Where each criterion stands, from the evidence that counts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from verification.states import Result


class HasResult(Protocol):
    """A piece of evidence, as far as standing needs it."""

    attempt: int
    criterion: str
    stage: str
    result: str
    trust: str


_E = TypeVar("_E", bound=HasResult)


class HasMethod(Protocol):
    key: str
    stage: str
    method: str
    url: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    """`status` is missing, waiting, failed, unchecked or passed; `trust` of what counts."""

    status: str
    trust: str | None = None


_STATUS = {
    Result.PASS: "passed",
    Result.FAIL: "failed",
    Result.WAITING: "waiting",
    Result.UNCHECKED: "unchecked",
}


def counting(evidence: Iterable[_E], attempts: Mapping[str, int]) -> dict[str, _E]:
    """The evidence that counts: the newest per criterion of its stage's attempt.

    `evidence` comes oldest first; `attempts` says the attempt by stage (`stage_attempts`).
    """
    return {item.criterion: item for item in evidence if item.attempt == attempts[item.stage]}


def stage_attempts(attempt: int, approved: Mapping[str, int], proven: bool) -> dict[str, int]:
    """Which attempt's evidence counts per stage: the current one; for a blocker that is proven,
    the one that was approved, however many solvers took up the task since."""
    blocker = approved.get("blocker", attempt) if proven else attempt
    return {"blocker": blocker, "task": attempt}


def standing_of(criterion: HasMethod, counts: HasResult | None) -> Standing:
    """A manual criterion waits until a person says that it is met, with evidence or without."""
    if criterion.method == "manual" and (counts is None or counts.result != Result.PASS):
        return Standing("waiting", counts.trust if counts else None)
    if counts is None:
        return Standing("missing")
    return Standing(_STATUS[Result(counts.result)], counts.trust)


@dataclass(frozen=True, slots=True)
class Stand:
    """A stage as submit and decisions see it: keys by what they lack.

    `manual` are those no person has said are met. `trusts` are the labels of what passed; empty
    for a criterion of which nothing did.
    """

    missing: list[str]
    failing: list[str]
    waiting_checks: list[str]
    unchecked: list[str]
    manual: list[str]
    trusts: frozenset[str]


def stage_stand(
    criteria: Iterable[HasMethod], counts: Mapping[str, HasResult], stage: str
) -> Stand:
    chosen = [one for one in criteria if one.stage == stage]
    standing = {one.key: standing_of(one, counts.get(one.key)) for one in chosen}
    manual = [
        one.key
        for one in chosen
        if one.method == "manual" and standing[one.key].status == "waiting"
    ]

    def keys(status: str) -> list[str]:
        return [key for key, found in standing.items() if found.status == status]

    return Stand(
        missing=keys("missing"),
        failing=keys("failed"),
        waiting_checks=[key for key in keys("waiting") if key not in manual],
        unchecked=keys("unchecked"),
        manual=manual,
        trusts=frozenset(
            (one.trust or "") if one.status == "passed" else "" for one in standing.values()
        ),
    )
