"""What a payload may hold, whether evidence is about a criterion, and whether it passes."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verification.judging import Criterion, expected_codes, judge, mismatch, status_passes
from verification.payloads import EVIDENCE_TYPE_OF_METHOD, PAYLOAD_SCHEMAS, payload_faults

UUID = "01900000-0000-7000-8000-0000000000Aa"
SHA = "aB" * 32

RIGHT: dict[str, list[dict[str, Any]]] = {
    "command_run": [
        {"command": "npm test", "exit_code": 0},
        {"command": "", "exit_code": -9, "output_excerpt": "", "cwd": "/srv"},
        {"command": "x" * 4000, "exit_code": 1.0, "output_sha256": SHA},
        {"command": "a", "exit_code": 3221225477, "output_excerpt": "x" * 3999 + "\0"},
        {"command": "a", "exit_code": 0, "ran_at": "2026-02-20T00:00:00Z"},
        {"command": "a", "exit_code": 0, "ran_at": "2026-02-20T00:00:00.123456+02:00"},
    ],
    "test_report": [
        {"runner": "pytest", "passed": 1, "failed": 0},
        {"runner": "pytest", "passed": 0, "failed": 3, "skipped": 2, "summary": "x" * 8000},
    ],
    "log_match": [{"excerpt": ""}, {"excerpt": "x" * 4000, "pattern": "x+", "source": "ci.log"}],
    "artifact": [
        {"url": "https://ci.example.com/1"},
        {"attachment_id": UUID, "sha256": SHA, "note": "x" * 5000},
        {"path": "dist/app.tar", "note": ""},
    ],
    "external_check": [{"url": "https://a.example/"}, {"url": "", "status": 599, "note": "up"}],
    "manual_note": [{"note": "x"}, {"note": "é" * 5000}],
}

WRONG: list[tuple[str, Any, dict[str, str]]] = [
    (
        "vibes",
        {},
        {
            "type": "type must be one of command_run, test_report, log_match, artifact, external_check, manual_note."
        },
    ),
    ("manual_note", [], {"payload": "payload must be an object."}),
    ("manual_note", {1: 2}, {"payload": "payload must be plain JSON."}),
    (
        "command_run",
        {},
        {
            "payload.command": "Add payload.command: the command that ran.",
            "payload.exit_code": "Add payload.exit_code: the number it exited with.",
        },
    ),
    (
        "command_run",
        {"command": 1, "exit_code": True, "output_sha256": "x", "ran_at": "2026-02-30T00:00:00Z"},
        {
            "payload.command": "payload.command must be text of at most 4,000 characters.",
            "payload.exit_code": "payload.exit_code must be a whole number.",
            "payload.output_sha256": "payload.output_sha256 must be a SHA-256 in 64 hex digits.",
            "payload.ran_at": "payload.ran_at must be a time like 2026-03-01T12:00:00Z.",
        },
    ),
    (
        "command_run",
        {"command": "a", "exit_code": 0, "result": "pass", "a\0": 1},
        {
            "payload.result": "Remove payload.result: evidence of type command_run has no field named "
            "result.",
            "payload.a?": "Remove the NUL character from the name of the field payload.a?.",
        },
    ),
    (
        "command_run",
        {"command": "a\0", "exit_code": 0, "output_excerpt": "\ud800"},
        {
            "payload.command": "Remove the NUL character from payload.command.",
            "payload.output_excerpt": "Remove the unpaired surrogate from payload.output_excerpt.",
        },
    ),
    (
        "test_report",
        {"runner": " ", "passed": -1, "failed": 1.5, "skipped": True},
        {
            "payload.runner": "payload.runner must be text of 1 to 4,000 characters.",
            "payload.passed": "payload.passed must be a whole number, 0 or more.",
            "payload.failed": "payload.failed must be a whole number, 0 or more.",
            "payload.skipped": "payload.skipped must be a whole number, 0 or more.",
        },
    ),
    (
        "artifact",
        {"note": "somewhere"},
        {"payload": "Say where the artifact is: give payload a url, an attachment_id or a path."},
    ),
    (
        "artifact",
        {"url": ""},
        {"payload.url": "payload.url must be text of 1 to 4,000 characters."},
    ),
    (
        "manual_note",
        {"note": " "},
        {"payload.note": "payload.note must be text of 1 to 5,000 characters."},
    ),
]

TOO_LONG = [
    ("command_run", "command", 4000),
    ("command_run", "output_excerpt", 4000),
    ("command_run", "cwd", 4000),
    ("test_report", "runner", 4000),
    ("test_report", "summary", 8000),
    ("log_match", "excerpt", 4000),
    ("log_match", "pattern", 4000),
    ("artifact", "note", 5000),
    ("external_check", "url", 4000),
    ("manual_note", "note", 5000),
]


@pytest.mark.parametrize(("type_", "payload"), [(t, p) for t, each in RIGHT.items() for p in each])
def test_it_takes_a_payload(type_: str, payload: dict[str, Any]) -> None:
    assert payload_faults(type_, payload) == []


@pytest.mark.parametrize(("type_", "payload", "faults"), WRONG)
def test_it_names_every_fault_of_a_payload(
    type_: str, payload: Any, faults: dict[str, str]
) -> None:
    assert {fault.path: fault.message for fault in payload_faults(type_, payload)} == faults


@pytest.mark.parametrize(("type_", "field", "limit"), TOO_LONG)
def test_it_counts_characters(type_: str, field: str, limit: int) -> None:
    payload = {**RIGHT[type_][0], field: "\U0001f9f1" * limit}
    assert payload_faults(type_, payload) == []
    faults = payload_faults(type_, {**payload, field: "x" * (limit + 1)})
    assert [fault.path for fault in faults] == [f"payload.{field}"]


@pytest.mark.parametrize(
    ("type_", "field", "value"),
    [
        ("command_run", "ran_at", "2026-02-20"),
        ("command_run", "ran_at", "2026-02-20 00:00"),
        ("command_run", "ran_at", "20260220T000000Z"),
        ("command_run", "output_sha256", SHA + "\n"),
        ("command_run", "output_sha256", "g" * 64),
        ("command_run", "exit_code", "0"),
        ("command_run", "exit_code", 10**30),
        ("command_run", "output_excerpt", None),
        ("test_report", "passed", 10**400),
        ("artifact", "attachment_id", "1"),
        ("artifact", "sha256", "a" * 63),
        ("external_check", "status", 99),
        ("external_check", "status", "200"),
    ],
)
def test_it_refuses_values_of_the_wrong_form(type_: str, field: str, value: Any) -> None:
    faults = payload_faults(type_, {**RIGHT[type_][0], field: value})
    assert [fault.path for fault in faults] == [f"payload.{field}"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = sorted({field for schema in PAYLOAD_SCHEMAS.values() for field in schema["properties"]})


@given(
    st.sampled_from([*PAYLOAD_SCHEMAS, "vibes"]),
    st.dictionaries(st.sampled_from(FIELDS) | st.text(), JSON) | JSON,
)
def test_it_raises_nothing_whatever_the_payload(type_: str, payload: Any) -> None:
    paths = [fault.path for fault in payload_faults(type_, payload)]
    assert len(paths) == len(set(paths))


def criterion(method: str = "command", **fields: Any) -> Criterion:
    return Criterion(**{"key": "b1", "method": method, **fields})


@pytest.mark.parametrize("method", EVIDENCE_TYPE_OF_METHOD)
@pytest.mark.parametrize("type_", PAYLOAD_SCHEMAS)
def test_each_method_takes_its_own_type_of_evidence(method: str, type_: str) -> None:
    found = mismatch(criterion(method), type_, RIGHT[type_][0])
    wanted = EVIDENCE_TYPE_OF_METHOD[method]
    if type_ == wanted:
        assert found is None
        return
    assert found is not None
    assert (found.field, found.expected_key, found.expected) == ("type", "", wanted)
    assert found.message == (
        f"type must be {wanted}: that is the evidence for a criterion of method {method}."
    )
    assert judge(criterion(method), type_, RIGHT[type_][0]).result == "fail"


@pytest.mark.parametrize(
    ("method", "field", "wanted", "reported"),
    [
        ("command", "command", "npm test", "npm run test"),
        ("command", "command", "npm test", ""),
        ("log_match", "pattern", "a+ b", "a+"),
        ("external_check", "url", "https://a.example/", "https://b.example/"),
    ],
)
def test_evidence_names_the_value_of_the_criterion(
    method: str, field: str, wanted: str, reported: str
) -> None:
    type_ = EVIDENCE_TYPE_OF_METHOD[method]
    found = mismatch(criterion(method, **{field: wanted}), type_, {field: reported})
    assert found is not None
    assert (found.field, found.expected_key, found.expected) == (field, f"expected_{field}", wanted)
    assert found.message.startswith(f'Report the {field} that this criterion sets "{wanted}"')
    assert mismatch(criterion(method, **{field: wanted}), type_, {field: f" {wanted}\n"}) is None
    assert mismatch(criterion(method), type_, {field: reported}) is None


def test_only_a_command_may_be_quoted_otherwise() -> None:
    assert (
        mismatch(criterion(command="php -l a"), "command_run", {"command": "php8.3 '-l' a"}) is None
    )
    found = mismatch(
        criterion("log_match", pattern="php -l a"), "log_match", {"pattern": "php8.3 '-l' a"}
    )
    assert found is not None


def test_a_log_may_leave_the_pattern_out() -> None:
    assert mismatch(criterion("log_match", pattern="a"), "log_match", {"excerpt": "a"}) is None


def test_a_value_of_another_method_is_not_compared() -> None:
    tests = criterion("test_suite", command="pytest")
    assert mismatch(tests, "test_report", {"runner": "tox"}) is None


def test_a_long_value_is_left_to_the_details() -> None:
    found = mismatch(criterion(command="x" * 4000), "command_run", {"command": "y"})
    assert found is not None
    assert len(found.message) < 250
    assert "details.expected_command" in found.message


RUN = {"command": "a", "exit_code": 0}
TESTS = {"runner": "pytest", "passed": 1, "failed": 0}
UP = {"url": "https://a.example/", "status": 200}


@pytest.mark.parametrize(
    ("judged", "payload", "result"),
    [
        (criterion(), RUN, "pass"),
        (criterion(), {**RUN, "exit_code": 1}, "fail"),
        (criterion(expected_exit_code=3), {**RUN, "exit_code": 3}, "pass"),
        (criterion(expected_exit_code=3), RUN, "fail"),
        (criterion(), {**RUN, "exit_code": False}, "fail"),
        (criterion(), {}, "fail"),
        (criterion("test_suite"), TESTS, "pass"),
        (criterion("test_suite"), {**TESTS, "skipped": 90}, "pass"),
        (criterion("test_suite"), {**TESTS, "passed": 0}, "fail"),
        (criterion("test_suite"), {**TESTS, "failed": 1}, "fail"),
        (criterion("test_suite"), {**TESTS, "failed": False}, "fail"),
        (criterion("test_suite"), {}, "fail"),
        (criterion("log_match", pattern=r"done in \d+ s"), {"excerpt": "ok\ndone in 3 s"}, "pass"),
        (criterion("log_match", pattern=r"done in \d+ s"), {"excerpt": "done in no s"}, "fail"),
        (
            criterion(
                "log_match",
                pattern="a",
            ),
            {"excerpt": "b", "pattern": "b"},
            "fail",
        ),
        (criterion("log_match", pattern="(unclosed"), {"excerpt": "an (unclosed one"}, "pass"),
        (criterion("log_match", pattern="(unclosed"), {"excerpt": "unclosed"}, "fail"),
        (criterion("log_match", pattern=r"(a)\1"), {"excerpt": "aa"}, "fail"),
        (criterion("log_match", pattern="日本"), {"excerpt": "これは日本語"}, "pass"),
        (criterion("log_match"), {"excerpt": "abc", "pattern": "b"}, "pass"),
        (criterion("log_match"), {"excerpt": "abc", "pattern": "d"}, "fail"),
        (criterion("log_match"), {"excerpt": "abc"}, "pass"),
        (criterion("log_match"), {"excerpt": " \n"}, "fail"),
        (criterion("log_match"), {}, "fail"),
        (criterion("artifact"), {"path": "dist/app.tar"}, "pass"),
        (criterion("artifact"), {"note": "somewhere"}, "fail"),
        (criterion("external_check"), UP, "pass"),
        (criterion("external_check"), {**UP, "status": 302}, "pass"),
        (criterion("external_check"), {**UP, "status": 404}, "fail"),
        (criterion("external_check"), {"url": "https://a.example/"}, "fail"),
        (criterion("external_check", expected="404"), {**UP, "status": 404}, "pass"),
        (criterion("external_check", expected="200 or 204"), {**UP, "status": 201}, "fail"),
        (criterion("external_check", url="https://a.example/"), UP, "waiting"),
        (criterion("external_check", url="https://a.example/"), {**UP, "status": 500}, "waiting"),
        (criterion("manual"), {"note": "seen"}, "waiting"),
    ],
)
def test_it_judges(judged: Criterion, payload: dict[str, Any], result: str) -> None:
    type_ = EVIDENCE_TYPE_OF_METHOD[judged.method]
    assert judge(judged, type_, payload).result == result
    assert judge(judged, type_, payload, "pass").result == result, "a claim improves nothing"
    claimed = judge(judged, type_, payload, "fail").result
    assert claimed == ("waiting" if result == "waiting" else "fail"), "a claimed fail is believed"


@pytest.mark.parametrize(
    ("expected", "codes"),
    [
        ("200 OK", {200}),
        ("200 or 204", {200, 204}),
        ("answers 200.", {200}),
        ("(301)", {301}),
        ("HTTP/1.1 404", {404}),
        ("99, 600, 1200, 20, 2000", set()),
        ("v200, 200ms, x_200", set()),
        ("10.200.3.1", set()),
        ("in under 1,500 ms", set()),
        ("12,345 rows of 200,000", set()),
        ("200,204", {200, 204}),
        ("401,403,404", {401, 403, 404}),
        ("200, 1 redirect", {200}),
        ("\u8fd4\u56de401", {401}),
        ("200\u3092\u8fd4\u3059", {200}),
        ("200\uc744 \ubc18\ud658", {200}),
        ("\u00e9200, 200\u00e9", set()),
        ("the page is up", set()),
        ("\u0662\u0660\u0660", set()),
    ],
)
def test_it_reads_the_codes_that_stand_alone(expected: str, codes: set[int]) -> None:
    assert expected_codes(expected) == codes


def test_without_a_code_any_2xx_or_3xx_passes() -> None:
    passing = {status for status in range(100, 600) if status_passes("it is up", status)}
    assert passing == set(range(200, 400))
    assert [status for status in range(100, 600) if status_passes("200 or 503", status)] == [
        200,
        503,
    ]


@given(st.text(max_size=40), st.text(max_size=200))
def test_any_pattern_can_be_looked_for(pattern: str, excerpt: str) -> None:
    judged = judge(criterion("log_match", pattern=pattern), "log_match", {"excerpt": excerpt})
    assert judged.result in {"pass", "fail"}


@pytest.mark.parametrize(
    "pattern",
    ["(.*)*" * 790, "(x+x+)+y", "(?:a{1000}){1000}", ".*a.{900}b", "(" * 2000 + ")" * 2000],
)
def test_a_hostile_pattern_costs_little(pattern: str) -> None:
    started = time.thread_time()
    judge(criterion("log_match", pattern=pattern), "log_match", {"excerpt": "xa" * 2000})
    assert time.thread_time() - started < 1
