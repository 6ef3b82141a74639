"""The handoff package: what is taken, what is refused, and at which paths."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stuckbot.lib import strict_json
from tests.tickets.package_cases import (
    GONE,
    LONG_FIELDS,
    REFUSED,
    TAKEN,
    JSONValue,
    checks,
    criterion,
    one,
    package,
    page_check,
    told,
)
from tickets.packages.check import CheckedPackage, PackageRefused, check_package
from tickets.packages.schema import load_schema


@pytest.mark.parametrize("name", TAKEN)
def test_it_takes(name: str) -> None:
    assert told(TAKEN[name]) == {}


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses(name: str) -> None:
    raw, paths = REFUSED[name]
    found = told(raw)
    assert set(found) == paths
    for path, message in found.items():
        assert path in message
        assert message.endswith(".")
        strict_json.dumps([path, message])
        assert "\0" not in path + message


@pytest.mark.parametrize("line_break", "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
@pytest.mark.parametrize("title", ["one{}two", "one{}", "{}one"])
def test_a_title_has_one_line(title: str, line_break: str) -> None:
    assert set(told(package(title=title.format(line_break)))) == {"title"}


@pytest.mark.parametrize("raw", [None, [], "package", 1, True])
def test_a_package_is_an_object(raw: object) -> None:
    assert told(raw) == {"": "The package must be an object."}


def test_it_names_every_missing_field_of_an_empty_package() -> None:
    assert set(told({})) == {"title", *LONG_FIELDS, "blocker_criteria", "mode"}
    assert told({})["objective"] == "Add objective: one or more sentences on the overall goal."


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        (package(urgency=True), "urgency", "urgency must be a whole number from 1 to 10."),
        (
            package(context={"workspace": {"repo": 3}}),
            "context.workspace.repo",
            "context.workspace.repo must be text of at most 20,000 characters.",
        ),
        (
            package(budget_spent={"a.b": ""}),
            "budget_spent.a.b",
            "budget_spent.a.b must be a number.",
        ),
        (package(**{"a.b": 1}), "a.b", "Remove a.b: a package has no field named a.b."),
        (package(**{"a\0": 1}), "a?", "Remove the NUL character from the name of the field a?."),
    ],
)
def test_it_says_how_to_mend_it(raw: object, path: str, message: str) -> None:
    assert told(raw) == {path: message}


def test_no_field_of_the_schema_lacks_its_own_sentence() -> None:
    for name in load_schema()["properties"]:
        message = told(package(**{name: 1.5 if name != "budget_spent" else True}))[name]
        assert "form that the schema" not in message


def keys(checked: CheckedPackage) -> list[str]:
    return [each.key for each in checked.criteria]


def test_keys_are_filled_in_around_own_keys() -> None:
    raw = checks(
        criterion(), criterion(key="b1"), criterion(), task_criteria=[criterion(key="t2")] * 1
    )
    raw["task_criteria"] += [criterion(), criterion()]
    checked = check_package(raw)
    assert keys(checked) == ["b2", "b1", "b3", "t2", "t1", "t3"]
    assert [each["key"] for each in checked.package["task_criteria"]] == ["t2", "t1", "t3"]
    assert [each.stage for each in checked.criteria] == ["blocker"] * 3 + ["task"] * 3


def test_a_stage_may_use_the_keys_of_the_other() -> None:
    checked = check_package(checks(criterion(key="t1"), task_criteria=[criterion()]))
    assert keys(checked) == ["t1", "t2"]


def test_what_was_sent_stays_as_it_was() -> None:
    raw = package(urgency=5.0, labels=["b", "a", "b"], context={"mine": [1]})
    before = strict_json.dumps(raw)
    checked = check_package(raw)
    assert strict_json.dumps(raw) == before
    assert checked.package.keys() == raw.keys()
    assert checked.package["context"] == {"mine": [1]}
    assert isinstance(checked.package["urgency"], int)
    assert checked.labels == ("b", "a")


def test_what_was_not_sent_has_its_default_outside_the_package() -> None:
    checked = check_package(one(expected_exit_code=GONE))
    assert (checked.urgency, checked.mode, checked.labels) == (5, "blocker_only", ())
    assert "urgency" not in checked.package
    assert "expected_exit_code" not in checked.package["blocker_criteria"][0]
    (spec,) = checked.criteria
    assert (spec.expected_exit_code, spec.command, spec.pattern, spec.url) == (
        0,
        "true",
        None,
        None,
    )


def test_it_warns_of_a_pattern_it_takes_as_plain_text() -> None:
    raw = checks(
        criterion(method="log_match", pattern="ok \\d+"),
        criterion(method="log_match", pattern="(unclosed"),
        criterion(method="log_match", pattern="(?=ahead)"),
        criterion(method="manual", pattern="("),
    )
    found = [(each.code, each.path) for each in check_package(raw).warnings]
    assert found == [
        ("pattern_is_plain_text", "blocker_criteria[1].pattern"),
        ("pattern_is_plain_text", "blocker_criteria[2].pattern"),
    ]


def test_an_incomplete_package_may_lack_fields_of_its_own_alone() -> None:
    checked = check_package({"title": "Ran out of time"}, allow_incomplete=True)
    assert checked.missing == (*LONG_FIELDS, "blocker_criteria")
    assert (checked.criteria, checked.mode) == ((), "blocker_only")
    assert "mode" not in checked.package, "a default was not given"
    without = check_package(package(mode=GONE), allow_incomplete=True)
    assert (without.missing, without.package["mode"]) == ((), "blocker_only")
    half = package(attempts=[{"what": "x"}], mode=GONE, priority=1, title="ab")
    assert set(told(half, allow_incomplete=True)) == {"attempts[0].result", "priority", "title"}
    takeover = check_package(package(mode="takeover_allowed"), allow_incomplete=True)
    assert takeover.missing == ("task_criteria",)
    assert check_package(package(), allow_incomplete=True).missing == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELD = st.sampled_from(sorted(load_schema()["properties"]))
CRITERION_FIELD = st.sampled_from(sorted(load_schema()["$defs"]["criterion"]["properties"]))


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(FIELD | st.text(), JSON, max_size=4), st.booleans())
def test_it_raises_nothing_but_its_refusal(changes: dict[str, JSONValue], incomplete: bool) -> None:
    with contextlib.suppress(PackageRefused):
        check_package(package(**changes), allow_incomplete=incomplete)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(CRITERION_FIELD, JSON, max_size=3), st.text())
def test_no_criterion_breaks_it(fields: dict[str, JSONValue], value: str) -> None:
    texts = [
        criterion(command=value),
        page_check(value),
        criterion(method="log_match", pattern=value),
    ]
    with contextlib.suppress(PackageRefused):
        check_package(checks(*texts, criterion(**fields)))


def test_it_is_quick() -> None:
    raw = package(completed=[f"step {n} of the work, in some words" for n in range(150)])
    assert len(strict_json.dumps(raw)) > 6_000
    check_package(raw)
    taken = []
    for _ in range(20):
        started = time.thread_time()
        check_package(raw)
        taken.append(time.thread_time() - started)
    assert min(taken) < 0.005
