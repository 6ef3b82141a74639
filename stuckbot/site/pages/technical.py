"""The package beneath the plain explanation: what an agent wrote for the next one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import SOLUTION
from stuckbot.site.pages.described import Line
from stuckbot.site.usecases.answers import SUBMITTED, Standing


def technical_shown(package: Mapping[str, Any]) -> list[Line]:
    """Each field that the package has, as text, in the order a solver needs them."""
    lines = [
        Line(label, as_text(package[name]))
        for name, label in words.TECHNICAL.items()
        if package.get(name)
    ]
    context = package.get("context") or {}
    named = [(words.CONTEXT.get(name, name), value) for name, value in context.items() if value]
    return [*lines, *(Line(label, as_text(value)) for label, value in named)]


def solution_shown(standing: Sequence[Standing]) -> list[Line]:
    """What the solver said of the fix that waits for a decision."""
    waits = next((one.said for one in standing if one.state == SUBMITTED), None)
    if waits is None:
        return []
    said = {"outcome": waits["outcome"], **(waits["resolution"] or {})}
    return [Line(SOLUTION[name], str(said[name])) for name in SOLUTION if said.get(name)]


def as_text(value: Any) -> str:
    """A value of any shape as lines of text; what is nested deeper stays JSON."""
    if isinstance(value, list):
        return "\n".join(f"• {_one(item)}" for item in value)
    return _one(value)


def _one(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and set(value) == {"what", "result"}:
        return f"{value['what']}\n  → {value['result']}"
    if isinstance(value, dict) and all(isinstance(one, str | int) for one in value.values()):
        return "\n".join(f"{name}: {text}" for name, text in value.items())
    return json.dumps(value, ensure_ascii=False, indent=2)
