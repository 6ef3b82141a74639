"""The package beneath the plain explanation: what an agent wrote for the next one."""

import json
from collections.abc import Mapping
from typing import Any

from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import SOLUTION
from stuckbot.site.pages.described import Line
from tickets.cards import Card


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


def solution_shown(card: Card) -> list[Line]:
    """What its solver said of the fix on submitting it, beside the outcome of a closed ticket."""
    said = dict(card.resolution or {})
    if card.facts.is_closed:
        said.pop("outcome", None)
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
