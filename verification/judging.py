"""What evidence says about a criterion: whether it is about it at all, and whether it passes."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tickets.packages.commands import compile_pattern
from verification.matching import commands_match, texts_match
from verification.payloads import EVIDENCE_TYPE_OF_METHOD

_PASSED: Final = "pass"
_FAILED: Final = "fail"
_WAITING: Final = "waiting"

#: Longer values are left to `expected`, so the message stays a sentence.
_SHOWN: Final = 200
#: A word of its own, and no part of a larger number: 1.200, 1,500, 200.5, 200,000.
_CODE: Final = re.compile(
    r"(?<!\w)(?<![0-9]\.)(?<!\b[0-9],)(?<!\b[0-9]{2},)[1-5][0-9]{2}(?!\w)(?!\.[0-9])(?!,0[0-9]{2})"
)


@dataclass(frozen=True, slots=True)
class Criterion:
    """What judging needs to know of a criterion."""

    key: str
    method: str
    command: str | None = None
    pattern: str | None = None
    url: str | None = None
    expected_exit_code: int = 0
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`result` is pass, fail or waiting."""

    result: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Evidence that is not about the criterion. `expected_key` names the detail that holds the
    value the criterion wants; it is empty when the type of evidence is wrong."""

    field: str
    expected_key: str
    expected: str
    message: str


def mismatch(criterion: Criterion, type_: str, payload: Mapping[str, Any]) -> Mismatch | None:
    """Why this evidence is not about this criterion, or None when it is."""
    wanted = EVIDENCE_TYPE_OF_METHOD[criterion.method]
    if type_ != wanted:
        message = (
            f"type must be {wanted}: that is the evidence for a criterion of method "
            f"{criterion.method}."
        )
        return Mismatch("type", "", wanted, message)
    match criterion.method:
        case "command":
            return _differs("command", criterion.command, payload, commands_match)
        case "log_match" if payload.get("pattern") is not None:
            return _differs("pattern", criterion.pattern, payload, texts_match)
        case "external_check":
            return _differs("url", criterion.url, payload, texts_match)
    return None


def _differs(
    field: str,
    expected: str | None,
    payload: Mapping[str, Any],
    same: Callable[[str, str], bool],
) -> Mismatch | None:
    reported = payload.get(field)
    if expected is None or same(expected, reported if isinstance(reported, str) else ""):
        return None
    shown = f' "{expected}"' if len(expected) <= _SHOWN else f" in details.expected_{field}"
    freedom = ""
    if field == "command":
        freedom = "; quoting and the program's folder may differ, its name and arguments may not"
    message = f"Report the {field} that this criterion sets{shown}{freedom}."
    return Mismatch(field, f"expected_{field}", expected, message)


def judge(
    criterion: Criterion,
    type_: str,
    payload: Mapping[str, Any],
    claimed: str | None = None,
    *,
    checked: bool = False,
) -> Judgement:
    """Judges evidence that has no payload faults and no mismatch; anything odd fails.

    `claimed` is what the sender says of it: "fail" is believed, "pass" never helps. A manual
    criterion waits for a person and a url of the criterion for our own check, whatever is said;
    with `checked` the sender is who checks the fix, and the status it saw at the url counts.
    """
    if type_ != EVIDENCE_TYPE_OF_METHOD.get(criterion.method):
        return Judgement(_FAILED)
    ours = criterion.method == "external_check" and criterion.url and not checked
    if criterion.method == "manual" or ours:
        return Judgement(_WAITING)
    passes = claimed != _FAILED and _RULES[criterion.method](criterion, payload)
    return Judgement(_PASSED if passes else _FAILED)


def expected_codes(expected: str) -> frozenset[int]:
    """The status codes that the text of `expected` names: "200 or 204" names both.

    Where a script puts no spaces around a number, its letters have no case, and end a word.
    """
    spaced = "".join(" " if unicodedata.category(one) == "Lo" else one for one in expected)
    return frozenset(int(code) for code in _CODE.findall(spaced))


def status_passes(expected: str, status: int) -> bool:
    """One of the codes named in `expected`; where it names none, any 2xx or 3xx."""
    codes = expected_codes(expected)
    return status in codes if codes else 200 <= status <= 399


def _command(criterion: Criterion, payload: Mapping[str, Any]) -> bool:
    code = _number(payload.get("exit_code"))
    return code is not None and code == criterion.expected_exit_code


def _tests(criterion: Criterion, payload: Mapping[str, Any]) -> bool:
    passed, failed = _number(payload.get("passed")), _number(payload.get("failed"))
    return failed == 0 and passed is not None and passed >= 1


def _log(criterion: Criterion, payload: Mapping[str, Any]) -> bool:
    excerpt = payload.get("excerpt")
    if not isinstance(excerpt, str):
        return False
    pattern = criterion.pattern or payload.get("pattern")
    if not isinstance(pattern, str) or not pattern.strip():
        return bool(excerpt.strip())
    return _found(pattern, excerpt)


def _found(pattern: str, excerpt: str) -> bool:
    compiled = compile_pattern(pattern)
    if compiled is None:
        return pattern in excerpt
    try:
        return compiled.search(excerpt) is not None
    except UnicodeEncodeError:
        return False


def _artifact(criterion: Criterion, payload: Mapping[str, Any]) -> bool:
    return any(payload.get(field) for field in ("url", "attachment_id", "path"))


def _external(criterion: Criterion, payload: Mapping[str, Any]) -> bool:
    status = _number(payload.get("status"))
    return status is not None and status_passes(criterion.expected, int(status))


def _number(value: Any) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


_RULES: Final[dict[str, Callable[[Criterion, Mapping[str, Any]], bool]]] = {
    "command": _command,
    "test_suite": _tests,
    "log_match": _log,
    "artifact": _artifact,
    "external_check": _external,
}
