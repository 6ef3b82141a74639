"""The quick validator finds what the reference validator finds."""

import contextlib
from functools import cache
from typing import Final

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from stuckbot.lib import strict_json
from tests.tickets.package_cases import (
    GONE,
    REFUSED,
    TAKEN,
    JSONValue,
    package,
    page_check,
    ref,
    told,
    without_gone,
)
from tickets.packages.check import PackageRefused, check_package
from tickets.packages.schema import load_schema, path_text, schema_problems

Place = tuple[str | int, ...]

MUTATIONS: Final[list[JSONValue]] = [
    None,
    True,
    0,
    -1,
    1.5,
    5.0,
    10**30,
    "",
    " \t",
    "x",
    "x\n",
    "b1",
    "é" * 21_000,
    [],
    ["x"],
    [""],
    [1] * 201,
    {},
    {"text": 1},
    {"kind": "body"},
    [{"kind": "body"}],
]


def full_package() -> JSONValue:
    return package(
        urgency=3,
        labels=["a"],
        budget_spent={"tokens": 1},
        repro=["x"],
        data_refs=[ref(name="n", size=1)],
        task_criteria=[page_check("https://h/")],
        context={"errors": ["x"], "snippets": [{"text": "x"}], "workspace": {"repo": "x"}},
    )


def mutated() -> list[JSONValue]:
    """Each place of a full package, with each of the values above, taken away, and one more."""
    full = full_package()
    made: list[JSONValue] = []
    for place, value in places(full):
        more = [{**value, "zz": 1}] if isinstance(value, dict) else []
        made += [changed(full, place, new) for new in (*MUTATIONS, GONE, *more)]
    return made


def places(value: JSONValue, at: Place = ()) -> list[tuple[Place, JSONValue]]:
    inner: list[tuple[str | int, JSONValue]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [(at, value), *(each for step, item in inner for each in places(item, (*at, step)))]


def changed(value: JSONValue, place: Place, new: JSONValue) -> JSONValue:
    if not place:
        return new
    step, rest = place[0], place[1:]
    if isinstance(value, dict):
        return without_gone({**value, str(step): changed(value[step], rest, new)})
    items = [changed(item, rest, new) if n == step else item for n, item in enumerate(value)]
    return [item for item in items if item is not GONE]


@cache
def reference() -> jsonschema.Draft202012Validator:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(load_schema(), format_checker=checker)


def reference_paths(value: JSONValue) -> set[str]:
    """What the reference validator finds, with a missing or unknown field at its own path."""
    found: set[str] = set()
    for error in reference().iter_errors(value):
        # The quick one passes over an empty name on the way.
        at = path_text([part for part in error.absolute_path if part != ""])
        extra: list[str] = []
        if error.validator == "required":
            extra = [name for name in error.validator_value if name not in error.instance]
        elif error.validator == "additionalProperties" and error.validator_value is False:
            extra = [name for name in error.instance if name not in error.schema["properties"]]
        found |= {f"{at}.{name}" if at else name for name in extra} or {at}
    return found


def quick_paths(value: JSONValue) -> set[str]:
    found: set[str] = set()
    for _, parts, names in schema_problems(value):
        at = path_text(parts)
        found |= {f"{at}.{name}" if at else name for name in names} or {at}
    return found


def test_the_quick_validator_agrees_with_the_reference() -> None:
    jsonschema.Draft202012Validator.check_schema(load_schema())
    samples = [*TAKEN.values(), *(raw for raw, _ in REFUSED.values()), *mutated()]
    plain = [raw for raw in samples if raw is not GONE and not strict_json.text_faults(raw)]
    assert len(plain) > 1_000
    for raw in plain:
        assert quick_paths(raw) == reference_paths(raw), raw


def test_what_the_schema_refuses_the_check_refuses_at_the_same_paths() -> None:
    for raw in mutated():
        if isinstance(raw, dict):
            assert quick_paths(raw) <= set(told(raw)), raw


TEXT = st.text(max_size=4) | st.sampled_from([" ", "\u200b", "b1", "sha256:", "x" * 1_201])
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([5.0, 1e308, -0.0, 2**53, 2**31, 10**40])
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def changed_packages(draw: st.DrawFn) -> JSONValue:
    """A full package with one to four places changed, taken away or given another field."""
    made = full_package()
    for _ in range(draw(st.integers(1, 4))):
        place, value = draw(st.sampled_from(places(made)))
        new = [GONE, draw(ANY_JSON)]
        if isinstance(value, dict):
            new.append({**value, draw(TEXT): draw(ANY_JSON)})
        if isinstance(value, list):
            new.append(value * draw(st.sampled_from([2, 21, 51, 201])))
        chosen = draw(st.sampled_from(new))
        if chosen is not GONE or place:
            made = changed(made, place, chosen)
    return made


@settings(max_examples=150, deadline=None)
@given(changed_packages())
def test_the_validators_agree_on_packages_changed_at_random(raw: JSONValue) -> None:
    if strict_json.text_faults(raw):
        return
    found = reference_paths(raw)
    assert quick_paths(raw) == found
    if isinstance(raw, dict):
        assert found <= set(told(raw))


@settings(max_examples=100, deadline=None)
@given(changed_packages() | ANY_JSON, st.booleans())
def test_no_value_breaks_the_check(raw: JSONValue, incomplete: bool) -> None:
    with contextlib.suppress(PackageRefused):
        checked = check_package(raw, allow_incomplete=incomplete)
        strict_json.dumps(checked.package)
