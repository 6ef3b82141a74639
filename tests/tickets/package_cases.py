"""Handoff packages to try: each a change to one that is taken."""

from typing import Any, Final

from tickets.packages.check import PackageRefused, check_package

JSONValue = Any
GONE: Final = object()
LONG_FIELDS: Final = (
    "objective",
    "stuck_reason",
    "completed",
    "remaining",
    "attempts",
    "next_steps",
)


def criterion(**fields: JSONValue) -> dict[str, JSONValue]:
    made = {"description": "d", "method": "command", "command": "true", "expected": "exits 0"}
    return without_gone({**made, **fields})


def page_check(url: str) -> dict[str, JSONValue]:
    return criterion(method="external_check", url=url, expected="200", command=GONE)


def ref(digit: str = "a", kind: str = "file", **fields: JSONValue) -> dict[str, JSONValue]:
    return {"store": "main", "object": f"sha256:{digit * 64}", "kind": kind, **fields}


def summary(**fields: JSONValue) -> dict[str, JSONValue]:
    made = {"problem": "Python is missing.", "impact": "No tests.", "next_step": "Add Python."}
    return without_gone({**made, **fields})


def package(**changes: JSONValue) -> dict[str, JSONValue]:
    made = {
        "title": "The image service cannot be built",
        "human_summary": summary(),
        "objective": "Ship the image service",
        "stuck_reason": "npm ci fails: find Python",
        "completed": ["Unit tests"],
        "remaining": ["Build the image"],
        "attempts": [{"what": "npm ci --ignore-scripts", "result": "It fails at run time"}],
        "next_steps": ["Add python3"],
        "blocker_criteria": [criterion(command="npm ci", expected_exit_code=0)],
        "mode": "blocker_only",
    }
    return without_gone({**made, **changes})


def without_gone(fields: dict[str, JSONValue]) -> dict[str, JSONValue]:
    return {name: value for name, value in fields.items() if value is not GONE}


def checks(*each: dict[str, JSONValue], **changes: JSONValue) -> dict[str, JSONValue]:
    return package(blocker_criteria=list(each), **changes)


def one(**fields: JSONValue) -> dict[str, JSONValue]:
    return checks(criterion(**fields))


def told(raw: object, **options: bool) -> dict[str, str]:
    """Path and sentence of every fault; empty for a package that is taken."""
    try:
        check_package(raw, **options)
    except PackageRefused as refused:
        paths = [fault.path for fault in refused.faults]
        assert len(paths) == len(set(paths)), "one fault a path"
        return {fault.path: fault.message for fault in refused.faults}
    return {}


BODY_ONLY: Final = dict.fromkeys(LONG_FIELDS, GONE)

TAKEN: Final[dict[str, dict[str, JSONValue]]] = {
    "as it is": package(),
    "no summary": package(human_summary=GONE),
    "summary with an outcome": package(human_summary=summary(outcome="It passed.")),
    "summary field of 1,200": package(human_summary=summary(impact="x" * 1200)),
    "title of 3": package(title="abc"),
    "title of 200": package(title="x" * 200),
    "title of 200 astral characters": package(title="\U0001f9f1" * 200),
    "text of 20,000": package(objective="x" * 20_000),
    "urgency 1": package(urgency=1),
    "urgency 10": package(urgency=10),
    "urgency 5.0": package(urgency=5.0),
    "takeover with task criteria": package(
        mode="takeover_requested", task_criteria=[page_check("https://status.example.com/healthz")]
    ),
    "task criteria without takeover": package(task_criteria=[criterion()]),
    "page check over http": checks(page_check("http://status.example.com/")),
    "page check without a url": checks(criterion(method="external_check", command=GONE)),
    "own keys": checks(criterion(key="install"), criterion(key="lint")),
    "key of 40": one(key="a" * 40),
    "keys filled in around own keys": checks(criterion(), criterion(key="b1"), criterion()),
    "pattern that is no regular expression": one(method="log_match", pattern="(unclosed"),
    "command, pattern and url of methods that use none": checks(
        criterion(method="manual", command='npm "test', pattern=" ", url="javascript:alert(1)"),
        criterion(pattern="(", url="no url"),
    ),
    "50 criteria": checks(*[criterion()] * 50),
    "exit code 3.0": one(expected_exit_code=3.0),
    "other scripts": package(stuck_reason="שלום é नि 日本語"),
    "body on a store": package(
        data_refs=[ref(kind="body", name="details.json", size=1234, media_type="text/plain")],
        **BODY_ONLY,
    ),
    "a body and files": package(data_refs=[ref(), ref("b", "body"), ref("c")]),
    "workspace": package(
        context={"errors": ["gyp ERR!"], "workspace": {"repo": "example.com/r", "branch": "ci"}}
    ),
    "url with a password, which is masked": package(
        context={"workspace": {"repo": "https://user:hunter2hunter2@git.example.com/r"}}
    ),
    "own keys in context": package(context={"mine": {"a": [1, None, True]}, "logs": "text"}),
    "context in every form": package(
        context={
            "errors": "text",
            "environment": {"os": "debian"},
            "snippets": ["text", {"path": "a.py", "text": ""}, {"text": "x"}],
            "attachment_ids": ["0190f8a0-7c1e-7000-8000-00000000000A"],
        }
    ),
    "nothing done yet": package(completed=[], remaining=[], attempts=[], next_steps=[]),
    "manual": checks(criterion(method="manual", command=GONE, expected="yes")),
    "repro and constraints": package(repro="make", constraints=["no network"]),
    "budget as an object": package(budget_spent={"tokens": 12, "cost_usd": 0.5}),
    "budget as text": package(budget_spent="two hours"),
    "20 labels": package(labels=[f"team:a/b.c_{n}" for n in range(20)]),
    "schema version 1": package(schema_version="1"),
}

REFUSED: Final[dict[str, tuple[dict[str, JSONValue], set[str]]]] = {
    "summary field of 1,201": (
        package(human_summary=summary(impact="x" * 1201)),
        {"human_summary.impact"},
    ),
    "summary without next_step": (
        package(human_summary=summary(next_step=GONE)),
        {"human_summary.next_step"},
    ),
    "summary with a field more": (package(human_summary=summary(x="y")), {"human_summary.x"}),
    "summary of nothing": (package(human_summary=None), {"human_summary"}),
    "title of 2": (package(title="ab"), {"title"}),
    "title of 201": (package(title="x" * 201), {"title"}),
    "blank title": (package(title="    "), {"title"}),
    "text of 20,001": (package(objective="x" * 20_001), {"objective"}),
    "several at once": (
        package(objective=GONE, urgency=11, mode="whenever"),
        {"objective", "urgency", "mode"},
    ),
    "schema and cross-field faults at once": (
        package(urgency="5", task_criteria=[criterion(command=" ")], data_refs=[ref(kind="x")]),
        {"urgency", "task_criteria[0].command", "data_refs[0].kind"},
    ),
    "urgency 0": (package(urgency=0), {"urgency"}),
    "urgency 11": (package(urgency=11), {"urgency"}),
    "urgency 5.5": (package(urgency=5.5), {"urgency"}),
    "urgency as text": (package(urgency="5"), {"urgency"}),
    "urgency true": (package(urgency=True), {"urgency"}),
    "urgency past any machine number": (package(urgency=10**400), {"urgency"}),
    "no criteria": (package(blocker_criteria=[]), {"blocker_criteria"}),
    "51 criteria": (checks(*[criterion()] * 51), {"blocker_criteria"}),
    "takeover without task criteria": (package(mode="takeover_allowed"), {"task_criteria"}),
    "takeover with an empty list": (
        package(mode="takeover_requested", task_criteria=[]),
        {"task_criteria"},
    ),
    "unknown method": (one(method="vibes"), {"blocker_criteria[0].method"}),
    "method that is a list": (one(method=["command"]), {"blocker_criteria[0].method"}),
    "criterion that is text": (package(blocker_criteria=["npm ci"]), {"blocker_criteria[0]"}),
    "criterion with a field more": (one(weight=1), {"blocker_criteria[0].weight"}),
    "criterion without description": (
        one(description=GONE),
        {"blocker_criteria[0].description"},
    ),
    "criterion without expected": (one(expected=GONE), {"blocker_criteria[0].expected"}),
    "exit code true": (one(expected_exit_code=True), {"blocker_criteria[0].expected_exit_code"}),
    "same key twice": (
        checks(criterion(key="a"), criterion(key="a")),
        {"blocker_criteria[1].key"},
    ),
    "same key in both stages": (
        checks(criterion(key="a"), task_criteria=[criterion(key="a")]),
        {"task_criteria[0].key"},
    ),
    "key of 41": (one(key="a" * 41), {"blocker_criteria[0].key"}),
    "key that ends in a line break": (one(key="a\n"), {"blocker_criteria[0].key"}),
    "key with a slash": (one(key="a/b"), {"blocker_criteria[0].key"}),
    "command no shell could split": (one(command='npm "test'), {"blocker_criteria[0].command"}),
    "blank command": (one(command="  "), {"blocker_criteria[0].command"}),
    "tests no shell could split": (
        one(method="test_suite", command='npm "test'),
        {"blocker_criteria[0].command"},
    ),
    "command of 4,001": (one(command="x" * 4001), {"blocker_criteria[0].command"}),
    "blank pattern": (one(method="log_match", pattern=" "), {"blocker_criteria[0].pattern"}),
    "script link": (checks(page_check("javascript:alert(1)")), {"blocker_criteria[0].url"}),
    "url without a host": (checks(page_check("https:///healthz")), {"blocker_criteria[0].url"}),
    "url with control characters": (
        checks(page_check("https://status.example.com/\r\nX: y")),
        {"blocker_criteria[0].url"},
    ),
    "url with a space": (checks(page_check("https://h/a b")), {"blocker_criteria[0].url"}),
    "half an address": (checks(page_check("https://[::1")), {"blocker_criteria[0].url"}),
    "unknown field": (package(priority="high"), {"priority"}),
    "attempt without result": (package(attempts=[{"what": "x"}]), {"attempts[0].result"}),
    "attempt as text": (package(attempts=["tried things"]), {"attempts[0]"}),
    "attempt with a field more": (
        package(attempts=[{"what": "x", "result": "y", "at": "noon"}]),
        {"attempts[0].at"},
    ),
    "201 texts": (package(completed=["x"] * 201), {"completed"}),
    "empty texts": (package(objective="  ", completed=[""]), {"objective", "completed[0]"}),
    "no-break space alone": (package(stuck_reason="\u00a0"), {"stuck_reason"}),
    "NUL": (package(stuck_reason="a\0b"), {"stuck_reason"}),
    "half a surrogate pair": (package(stuck_reason="a\ud800b"), {"stuck_reason"}),
    "NUL in a key of context": (package(context={"a\0b": 1}), {"context.a?b"}),
    "NUL in an unknown field": (package(**{"a\0": 1}), {"a?"}),
    "half a pair in a field of a criterion": (one(**{"x\ud800": 1}), {"blocker_criteria[0].x?"}),
    "two bodies": (package(data_refs=[ref(kind="body")] * 2), {"data_refs[1].kind"}),
    "object in upper case": (package(data_refs=[ref("A")]), {"data_refs[0].object"}),
    "object that ends in a line break": (
        package(data_refs=[ref(object="sha256:" + "a" * 64 + "\n")]),
        {"data_refs[0].object"},
    ),
    "reference with a field more": (package(data_refs=[ref(url="x")]), {"data_refs[0].url"}),
    "a file does not stand for the body": (
        package(data_refs=[ref()], objective=GONE),
        {"objective"},
    ),
    "context that is a list": (package(context=[]), {"context"}),
    "workspace of numbers": (
        package(context={"workspace": {"repo": 3}}),
        {"context.workspace.repo"},
    ),
    "attachment that is no id": (
        package(context={"attachment_ids": ["log.txt"]}),
        {"context.attachment_ids[0]"},
    ),
    "budget of texts": (package(budget_spent={"tokens": "many"}), {"budget_spent.tokens"}),
    "schema version 2": (package(schema_version="2"), {"schema_version"}),
    "21 labels": (package(labels=[f"l{n}" for n in range(21)]), {"labels"}),
    "label with a space": (package(labels=["two words"]), {"labels[0]"}),
    "label of 51": (package(required_skills=["x" * 51]), {"required_skills[0]"}),
    "lists that are none": (
        package(completed="x", attempts={}, blocker_criteria="x", data_refs={}, labels=None),
        {"completed", "attempts", "blocker_criteria", "data_refs", "labels"},
    ),
}
