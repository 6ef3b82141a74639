"""A package as a busy agent files it: some 6.5 KB of JSON."""

from typing import Any

_LOG = "npm ERR! gyp ERR! find Python: checked the environment, the registry and the usual paths. "


def package() -> dict[str, Any]:
    return {
        "title": "The image service cannot be built",
        "human_summary": {
            "problem": "The build image lost Python, so one dependency cannot be compiled.",
            "impact": "Nothing can be tested, and the release of Thursday waits.",
            "next_step": "Add the build tools to the image and build again.",
        },
        "objective": "Ship the image service with the new resize endpoint. " * 6,
        "stuck_reason": _LOG * 38,
        "completed": [f"Step {n}: the unit tests of module {n} pass again" for n in range(12)],
        "remaining": [f"Port endpoint {n} and its tests" for n in range(8)],
        "attempts": [{"what": f"npm ci, with option {n}", "result": _LOG} for n in range(6)],
        "next_steps": ["Add python3 and make to the image", "Run npm ci in a clean folder"],
        "labels": ["build", "node"],
        "required_skills": ["docker"],
        "blocker_criteria": [
            {
                "description": f"A clean install of workspace {n} works",
                "method": "command",
                "command": f"npm ci --workspace part-{n}",
                "expected": "exits 0",
            }
            for n in range(3)
        ],
        "task_criteria": [
            {"description": "The tests pass", "method": "test_suite", "expected": "none fail"}
        ],
        "mode": "takeover_allowed",
    }
