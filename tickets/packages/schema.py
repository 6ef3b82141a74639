"""The JSON Schema of the handoff package, as served to agents and as used here."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema_rs

from stuckbot.lib.strict_json import shown_key

_FILE: Final = Path(__file__).with_name("handoff-package-1.json")


@cache
def load_schema() -> dict[str, Any]:
    """The schema, draft 2020-12. One object for all callers: read it, never change it."""
    schema: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return schema


@cache
def _visible() -> re.Pattern[str]:
    return re.compile(load_schema()["$defs"]["text"]["pattern"])


def is_visible(text: str) -> bool:
    """There is something to see in it: not spaces, controls and zero-width characters alone."""
    return _visible().search(text) is not None


class Problem(NamedTuple):
    """One thing a schema has against a value. `names` are the fields missing or unknown there."""

    keyword: str
    path: list[str | int]
    names: list[str]


def schema_problems(value: Any) -> list[Problem]:
    """What the schema has against `value`. ValueError when it is not plain JSON."""
    return problems_of(_validator(), value)


def problems_of(validator: jsonschema_rs.Draft202012Validator, value: Any) -> list[Problem]:
    """All problems. Half a surrogate pair, which the validator cannot take, counts as `?`."""
    try:
        return [_problem(error) for error in validator.iter_errors(value)]
    except UnicodeEncodeError:
        return problems_of(validator, _without_surrogates(value))


def _problem(error: jsonschema_rs.ValidationError) -> Problem:
    kind = error.kind
    names: list[str] = []
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        names = [kind.property]
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        names = kind.unexpected
    return Problem(kind.name, error.instance_path, [shown_key(name) for name in names])


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(load_schema())


def path_text(parts: Sequence[str | int]) -> str:
    """`["attempts", 0, "what"]` as `attempts[0].what`."""
    shown = ""
    for part in parts:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            shown += ("." if shown else "") + shown_key(part)
    return shown


def _without_surrogates(value: Any) -> Any:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise ValueError("not plain JSON") from error
    return json.loads(text.encode("utf-8", "replace"))
