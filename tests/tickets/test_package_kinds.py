"""Kinds of package that a sender may make without meaning to, and what is said of each."""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tickets.package_cases import (
    BODY_ONLY,
    GONE,
    LONG_FIELDS,
    JSONValue,
    checks,
    criterion,
    one,
    package,
    page_check,
    ref,
    summary,
    told,
)
from tickets.packages.check import check_package
from tickets.packages.schema import load_schema

#: What nobody can see: spaces of every kind, zero width, fillers, selectors, controls.
INVISIBLE: Final = (
    " \t\n\r\x0b\x0c\x1c\x85\xa0\xad\u034f\u061c\u115f\u1680\u17b4\u180e\u2003\u200b\u200d\u200e"
    "\u2028\u202e\u202f\u205f\u2060\u2064\u2800\u3000\u3164\ufe0f\ufeff\uffa0\ufffb\x7f\x1b"
)
WRONG: Final[list[JSONValue]] = [None, True, 1, 1.5, [], {}, [[]], [{}], [None], "", {"a": []}]


@pytest.mark.parametrize("char", INVISIBLE)
def test_text_has_something_to_see(char: str) -> None:
    raw = package(
        title=char * 3,
        objective=char,
        completed=[char + " "],
        human_summary=summary(impact=char),
        attempts=[{"what": char, "result": "x" + char}],
        blocker_criteria=[criterion(description=char, command=char)],
    )
    assert set(told(raw)) == {
        "title",
        "objective",
        "completed[0]",
        "human_summary.impact",
        "attempts[0].what",
        "blocker_criteria[0].description",
        "blocker_criteria[0].command",
    }


@pytest.mark.parametrize("text", ["é", "e\u0301", "日", "👩\u200d👩\u200d👧", "❤\ufe0f", "\u200ba"])
def test_one_character_to_see_is_enough(text: str) -> None:
    assert told(package(objective=text, human_summary=summary(problem=text))) == {}


def test_lengths_count_characters_not_what_looks_like_one() -> None:
    family = "👩\u200d👩\u200d👧"
    assert told(package(title=family * 40)) == {}
    assert set(told(package(title=family * 41))) == {"title"}
    assert set(told(package(title="e\u0301" * 101))) == {"title"}
    assert told(package(objective="😀" * 20_000)) == {}
    assert set(told(package(objective="😀" * 20_001))) == {"objective"}


@pytest.mark.parametrize("name", sorted(load_schema()["properties"]))
def test_null_is_no_way_to_leave_a_field_out(name: str) -> None:
    assert name in told(package(**{name: None}))


@pytest.mark.parametrize("name", sorted(load_schema()["$defs"]["criterion"]["properties"]))
def test_a_criterion_with_wrong_types_is_refused_where_it_is_wrong(name: str) -> None:
    for wrong in WRONG:
        if isinstance(wrong, str) and name in {"command", "pattern", "url"}:
            continue
        if name == "expected_exit_code" and wrong == 1 and not isinstance(wrong, bool):
            continue
        found = told(checks(criterion(), criterion(**{"method": "manual", name: wrong})))
        assert set(found) == {f"blocker_criteria[1].{name}"}, wrong


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        (package(schema_version=1), {"schema_version"}),
        (package(schema_version="1.0"), {"schema_version"}),
        (package(__proto__={"a": 1}), {"__proto__"}),
        (package(**{"": 1}), {""}),
        (package(**{"Title": "x", "title ": "y"}), {"Title", "title "}),
        (package(urgency="high"), {"urgency"}),
        (package(urgency=1e308), {"urgency"}),
        (package(urgency=-5), {"urgency"}),
        (package(urgency=[5]), {"urgency"}),
        (package(mode="Blocker_only"), {"mode"}),
        (package(mode=""), {"mode"}),
        (package(mode=["blocker_only"]), {"mode"}),
        (package(labels="a"), {"labels"}),
        (package(labels=["ok", "", "a b", 1]), {"labels[1]", "labels[2]", "labels[3]"}),
        (package(labels=["a\n"]), {"labels[0]"}),
        (package(labels=["größe"]), {"labels[0]"}),
        (package(required_skills=["s"] * 21), {"required_skills"}),
        (package(completed=["ok", ["nested"], 1]), {"completed[1]", "completed[2]"}),
        (package(attempts=[{"what": ["x"], "result": None}]), {"attempts[0].what", "attempts[0].result"}),
        (package(attempts=[{"what": "x", "result": "y"}] * 201), {"attempts"}),
        (package(next_steps={"0": "x"}), {"next_steps"}),
        (package(human_summary="text"), {"human_summary"}),
        (package(human_summary=[summary()]), {"human_summary"}),
        (package(human_summary={}), {f"human_summary.{n}" for n in ("problem", "impact", "next_step")}),
        (package(human_summary=summary(outcome="")), {"human_summary.outcome"}),
        (package(human_summary=summary(outcome="x" * 1201)), {"human_summary.outcome"}),
        (package(repro=["x"] * 201), {"repro"}),
        (package(repro="x" * 20_001), {"repro"}),
        (package(constraints=[1]), {"constraints[0]"}),
        (package(constraints={}), {"constraints"}),
        (package(budget_spent=True), {"budget_spent"}),
        (package(budget_spent=[1]), {"budget_spent"}),
        (package(budget_spent={"tokens": True, "usd": "1"}), {"budget_spent.tokens", "budget_spent.usd"}),
        (package(context="text"), {"context"}),
        (package(context={"errors": [1], "logs": {}}), {"context.errors[0]", "context.logs"}),
        (package(context={"environment": ["x"]}), {"context.environment"}),
        (package(context={"environment": {"os": 1}}), {"context.environment.os"}),
        (package(context={"snippets": [1, {}]}), {"context.snippets[0]", "context.snippets[1].text"}),
        (package(context={"snippets": {"text": "x"}}), {"context.snippets"}),
        (package(context={"snippets": [{"text": "x", "path": 1}]}), {"context.snippets[0].path"}),
        (package(context={"attachment_ids": "x"}), {"context.attachment_ids"}),
        (package(context={"workspace": "repo"}), {"context.workspace"}),
        (package(context={"workspace": ["repo"]}), {"context.workspace"}),
        (package(context={"workspace": {"url": None, "commit": 1}}), {"context.workspace.url", "context.workspace.commit"}),
        (package(task_criteria={}), {"task_criteria"}),
        (package(task_criteria=[criterion()] * 51), {"task_criteria"}),
        (package(blocker_criteria=[[], None, {}]), {"blocker_criteria[0]", "blocker_criteria[1]"}
            | {f"blocker_criteria[2].{name}" for name in ("description", "method", "expected")}),
        (checks(criterion(method="Command")), {"blocker_criteria[0].method"}),
        (checks(criterion(expected_exit_code="0")), {"blocker_criteria[0].expected_exit_code"}),
        (checks(criterion(expected_exit_code=2**31)), {"blocker_criteria[0].expected_exit_code"}),
        (checks(criterion(expected_exit_code=0.5)), {"blocker_criteria[0].expected_exit_code"}),
        (checks(criterion(key="")), {"blocker_criteria[0].key"}),
        (checks(criterion(key="ключ")), {"blocker_criteria[0].key"}),
        (checks(criterion(command="")), {"blocker_criteria[0].command"}),
        (checks(criterion(command="# npm test")), {"blocker_criteria[0].command"}),
        (checks(criterion(command="npm 'test")), {"blocker_criteria[0].command"}),
        (checks(criterion(command="npm test\\")), {"blocker_criteria[0].command"}),
        (checks(criterion(method="log_match", pattern="")), {"blocker_criteria[0].pattern"}),
        (checks(criterion(method="log_match", pattern="x" * 4_001)), {"blocker_criteria[0].pattern"}),
        (package(data_refs=[ref(store="")]), {"data_refs[0].store"}),
        (package(data_refs=[ref(store="a_b")]), {"data_refs[0].store"}),
        (package(data_refs=[ref(store="a" * 65)]), {"data_refs[0].store"}),
        (package(data_refs=[ref(size=-1)]), {"data_refs[0].size"}),
        (package(data_refs=[ref(size="1")]), {"data_refs[0].size"}),
        (package(data_refs=[ref(size=True)]), {"data_refs[0].size"}),
        (package(data_refs=[ref(kind="Body")]), {"data_refs[0].kind"}),
        (package(data_refs=[ref(object="a" * 64)]), {"data_refs[0].object"}),
        (package(data_refs=[ref(name="")]), {"data_refs[0].name"}),
        (package(data_refs=[ref()] * 201), {"data_refs"}),
        (package(data_refs=[ref(kind="file")], **BODY_ONLY), set(LONG_FIELDS)),
        (package(data_refs=[ref(kind="body")], **{**BODY_ONLY, "objective": ""}), {"objective"}),
        (package(data_refs=[ref(kind="body")], blocker_criteria=GONE), {"blocker_criteria"}),
    ],
)  # fmt: skip
def test_it_refuses_at_the_place(raw: JSONValue, paths: set[str]) -> None:
    assert set(told(raw)) == paths


@pytest.mark.parametrize(
    "raw",
    [
        package(urgency=1e0),
        package(budget_spent=0),
        package(budget_spent=1e308),
        package(budget_spent={}),
        package(completed=["x"] * 200),
        package(repro=[], constraints=""),
        package(context={}),
        package(context={"__proto__": {"a": 1}, "a.b": [[[]]], "": None, "ключ": 1}),
        package(context={"snippets": "text", "environment": "debian", "logs": []}),
        package(context={"workspace": {"repo": "", "url": "not a url", "mine": {"a": 1}}}),
        package(title='"; DROP TABLE tickets; --'),
        package(title="a\tb"),
        package(title="\u202eabc"),
        package(data_refs=[]),
        package(data_refs=[ref(size=5.0), ref()]),
        package(task_criteria=[]),
        checks(criterion(expected_exit_code=-1)),
        checks(criterion(expected_exit_code=255.0)),
        checks(criterion(key="."), criterion(key="B1"), criterion(key="b1")),
        checks(criterion(command="echo a#b # c")),
        checks(criterion(command="make && make check | tee 'a b'")),
        checks(criterion(command="x" * 4_000)),
        checks(criterion(method="command", command=GONE)),
        checks(criterion(method="log_match", command=GONE, pattern=GONE)),
        checks(criterion(method="artifact", url="https://ci.example.com/1", pattern="x")),
    ],
)
def test_it_takes_what_is_odd_but_allowed(raw: JSONValue) -> None:
    assert told(raw) == {}


@pytest.mark.parametrize("kind", ["list", "object"])
def test_a_deep_package_never_raises(kind: str) -> None:
    """The door of the API takes 64 levels; whoever comes another way gets an answer too."""
    for depth in (60, 5_000):
        value: JSONValue = "x"
        for _ in range(depth):
            value = [value] if kind == "list" else {"a": value}
        assert told(package(context={"mine": value})) == {}
        assert told(package(objective=value))


@pytest.mark.parametrize(
    "number",
    [float("nan"), float("inf"), 10**4_299, -(10**400)],
    ids=["nan", "inf", "long", "less"],
)
def test_odd_numbers_are_refused_and_never_raise(number: float) -> None:
    for raw in (package(urgency=number), one(expected_exit_code=number)):
        assert told(raw)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["", "b1", "b2", "b3", "t1", "x"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["", "b1", "b2", "t1", "t2", "y"]), max_size=6),
)
def test_filled_in_keys_are_unique_and_own_keys_stay(first: list[str], second: list[str]) -> None:
    given_keys = [key for key in (*first, *second) if key]
    stages = [[criterion(key=key or GONE) for key in keys] for keys in (first, second)]
    raw = package(blocker_criteria=stages[0], task_criteria=stages[1])
    if len(given_keys) != len(set(given_keys)):
        assert all(path.endswith(".key") for path in told(raw))
        assert told(raw)
        return
    made = [each.key for each in check_package(raw).criteria]
    assert len(made) == len(set(made))
    for own, filled in zip((*first, *second), made, strict=True):
        assert filled == own or (not own and filled[0] in "bt")


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://h", True),
        ("https://b\u00fccher.example/", True),
        ("https://h:99999/", True),
        ("https://[::1]:8443/", True),
        ("https://u@h/", True),
        ("https://", False),
        ("https://?q", False),
        ("https:/h/", False),
        ("h.example.com/healthz", False),
        ("healthz", False),
        ("https://h:port/", False),
        ("https://a:1:2/", False),
        ("https://[::1]x/", False),
        ("https://h/\u00a0", False),
        ("https://h/\u200b", True),
        ("https://h/a\tb", False),
        ("https://h\n", False),
        ("file:///etc/passwd", False),
        ("data:text/html,x", False),
        ("", False),
    ],
)
def test_it_knows_the_urls_that_a_check_may_have(url: str, taken: bool) -> None:
    found = told(checks(page_check(url)))
    assert set(found) == (set() if taken else {"blocker_criteria[0].url"})
