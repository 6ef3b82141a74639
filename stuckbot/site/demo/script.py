"""The week's stories, read from the files in `stories/`: packages, and who did what when."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

_FOLDER: Final = Path(__file__).parent / "stories"
#: A story that began longer ago than this may begin somewhat earlier or later, by the seed.
_SETTLED_HOURS: Final = 12
_SHIFT_HOURS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody did, so many minutes after the ticket was filed."""

    minute: int
    who: str
    what: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A criterion as evidence needs it: its key, method and what the proof shows."""

    key: str
    method: str
    reported: str
    shows: str


@dataclass(frozen=True, slots=True)
class Story:
    """One ticket: filed `hours` ago by `by`, with everything that followed."""

    project: str
    hours: float
    by: str
    package: dict[str, Any]
    checks: tuple[Check, ...]
    acts: tuple[Act, ...]


def stories_of(seed: int) -> list[Story]:
    """The stories, oldest first; the same seed always gives the same ones."""
    random = Random(f"stuckbot demo {seed}")  # noqa: S311 - nothing secret depends on it
    stories = [_story(row, project, random) for project, row in _rows()]
    return sorted(stories, key=lambda story: -story.hours)


@cache
def _rows() -> tuple[tuple[str, dict[str, Any]], ...]:
    found = []
    for path in sorted(_FOLDER.glob("*.toml")):
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        found += [(told["project"], row) for row in told["story"]]
    return tuple(found)


def _story(row: dict[str, Any], project: str, random: Random) -> Story:
    hours = float(row["hours"])
    shift = random.uniform(-_SHIFT_HOURS, _SHIFT_HOURS)
    blocker = [_check(one, f"b{n}") for n, one in enumerate(row["checks"], 1)]
    task = [_check(one, f"t{n}") for n, one in enumerate(row.get("task", []), 1)]
    return Story(
        project=project,
        hours=hours + shift if hours > _SETTLED_HOURS else hours,
        by=row["by"],
        package=_package(row, random),
        checks=(*blocker, *task),
        acts=tuple(Act(*one) for one in row.get("acts", [])),
    )


def _check(row: dict[str, Any], key: str) -> Check:
    reported = row.get("command") or row.get("pattern") or row.get("path") or ""
    return Check(key, row["method"], reported, row.get("shows", ""))


def _package(row: dict[str, Any], random: Random) -> dict[str, Any]:
    package: dict[str, Any] = {
        "title": row["title"],
        "human_summary": {
            "problem": row["problem"],
            "impact": row["impact"],
            "next_step": row["next"],
        },
        "objective": row["objective"],
        "stuck_reason": row["stuck"],
        "completed": row.get("done", []),
        "remaining": row.get("left", []),
        "attempts": [{"what": what, "result": result} for what, result in row.get("tried", [])],
        "next_steps": row.get("steps", []),
        "blocker_criteria": [_criterion(one) for one in row["checks"]],
        "mode": row.get("mode", "blocker_only"),
        "urgency": row["urgency"],
        "labels": row.get("labels", []),
        "required_skills": row.get("skills", []),
    }
    if "task" in row:
        package["task_criteria"] = [_criterion(one) for one in row["task"]]
    if context := _context(row, random):
        package["context"] = context
    return package


def _context(row: dict[str, Any], random: Random) -> dict[str, Any]:
    context: dict[str, Any] = {}
    if "errors" in row:
        context["errors"] = [_filled(one, random) for one in row["errors"]]
    if "repo" in row:
        commit = f"{random.getrandbits(160):040x}"
        context["workspace"] = {"repo": row["repo"], "branch": row["branch"], "commit": commit}
    return context


def _criterion(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in _CRITERION if name in row}


_CRITERION: Final = ("description", "method", "expected", "command", "pattern")
_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _filled(text: str, random: Random) -> str:
    """A text in which an agent left something secret: made up here, for the desk to mask."""
    token = "ghp_" + "".join(random.choices(_BASE62, k=36))
    password = "".join(random.choices(_BASE62, k=18))
    return text.replace("{token}", token).replace("{password}", password)
