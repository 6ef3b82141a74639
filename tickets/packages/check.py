"""Checks a handoff package and says everything that is wrong with it at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, NamedTuple

from stuckbot.lib.masking import REDACTED
from stuckbot.lib.strict_json import text_faults
from tickets.packages import messages
from tickets.packages.commands import is_absolute_url, is_runnable, plain_patterns
from tickets.packages.schema import path_text, schema_problems

DEFAULT_URGENCY: Final = 5
DEFAULT_MODE: Final = "blocker_only"
#: The fields that a package may lack while its ticket is incomplete, in the order they are told.
#: The mode is none of them, for it has a default.
REQUIRED: Final = (
    *("title", "objective", "stuck_reason", "completed", "remaining", "attempts", "next_steps"),
    *("blocker_criteria", "task_criteria"),
)
STAGES: Final = ("blocker", "task")
#: The field that says how a criterion of a method is checked. Programs that take tickets run the
#: command of a test_suite criterion like that of a command criterion.
METHOD_FIELD: Final = {
    "command": "command",
    "test_suite": "command",
    "log_match": "pattern",
    "external_check": "url",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at a path, which is relative to the package: `attempts[0].result`."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Warning_:
    """What was accepted but may not be what was meant."""

    code: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class CriterionSpec:
    """One check as the package states it; `stage` is blocker or task."""

    key: str
    stage: str
    method: str
    description: str
    expected: str
    command: str | None
    pattern: str | None
    url: str | None
    expected_exit_code: int = 0


@dataclass(frozen=True, slots=True)
class CheckedPackage:
    """A package that may be stored. `package` is what was sent plus the keys that were filled in;
    what was not sent is absent from it, and has its default in the other fields."""

    package: dict[str, Any]
    criteria: tuple[CriterionSpec, ...]
    urgency: int
    mode: str
    labels: tuple[str, ...]
    required_skills: tuple[str, ...]
    warnings: tuple[Warning_, ...]
    #: Required fields that are absent; only ever filled when an incomplete package is allowed.
    missing: tuple[str, ...]


class PackageRefused(Exception):
    """The package cannot be stored; `faults` names every reason, one a path."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.path}: {fault.message}" for fault in faults))
        self.faults = faults


class _Criterion(NamedTuple):
    stage: str
    path: str
    fields: dict[str, Any]


def check_package(raw: object, *, allow_incomplete: bool = False) -> CheckedPackage:
    """The package ready to store, or PackageRefused with every fault.

    With `allow_incomplete` a required field of the package itself may be absent, and is named in
    `missing`; what is there is checked as ever. The mode alone is `blocker_only` then, which is
    written into a package that lacks nothing else. The size is the caller's to check.
    """
    if not isinstance(raw, dict):
        raise PackageRefused((Fault("", "The package must be an object."),))
    faults: dict[str, str] = {}
    missing: list[str] = []
    for path, message in text_faults(raw):
        faults.setdefault(path, message)
    for path, message in _schema_faults(raw, missing):
        faults.setdefault(path, message)
    criteria = list(_criteria(raw))
    for path, message in (*_key_faults(criteria), *_value_faults(criteria), *_body_faults(raw)):
        faults.setdefault(path, message)
    if not allow_incomplete:
        faults = {path: messages.missing(path) for path in missing} | faults
    if faults:
        raise PackageRefused(tuple(Fault(path, message) for path, message in faults.items()))
    lacks = tuple(name for name in REQUIRED if name in missing)
    whole = {**raw} if lacks or "mode" in raw else {**raw, "mode": DEFAULT_MODE}
    return _checked(whole, criteria, lacks)


def package_missing(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of `REQUIRED` that the package lacks, whatever else is wrong with it."""
    missing: list[str] = []
    for _fault in _schema_faults(dict(raw), missing):
        pass
    return tuple(name for name in REQUIRED if name in missing)


def _schema_faults(value: dict[str, Any], missing: list[str]) -> Iterator[tuple[str, str]]:
    """Faults the schema finds. Absent fields of the package itself go to `missing`."""
    try:
        problems = schema_problems(value)
    except ValueError:
        yield "", "The package must be plain JSON."
        return
    for keyword, parts, names in problems:
        path = path_text(parts)
        inner = [_inside(path, name) for name in names]
        if _is_lack(keyword, path):
            missing.extend(lack for lack in inner or [path] if lack not in missing)
        elif keyword == "required":
            yield from ((lack, messages.missing(lack)) for lack in inner)
        elif keyword == "additionalProperties":
            yield from (
                (extra, messages.unknown(path, name))
                for extra, name in zip(inner, names, strict=True)
            )
        else:
            yield path, messages.wrong(path)


def _is_lack(keyword: str, path: str) -> bool:
    """The package itself lacks a field, or has it without the one criterion it needs."""
    if keyword == "minItems":
        return path in {"blocker_criteria", "task_criteria"}
    return keyword == "required" and not path


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _criteria(package: dict[str, Any]) -> Iterator[_Criterion]:
    """Those that are objects, in package order: checks between fields run on broken ones too."""
    for stage in STAGES:
        listed = package.get(f"{stage}_criteria")
        for place, fields in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(fields, dict):
                yield _Criterion(stage, f"{stage}_criteria[{place}]", fields)


def _key_faults(criteria: list[_Criterion]) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for criterion in criteria:
        key = criterion.fields.get("key")
        if not isinstance(key, str):
            continue
        if key in seen:
            path = f"{criterion.path}.key"
            yield path, f"{path} must be a key of its own: {seen[key]} has it already."
        seen.setdefault(key, criterion.path)


def _value_faults(criteria: list[_Criterion]) -> Iterator[tuple[str, str]]:
    """Commands, patterns and urls of the criteria whose method uses them."""
    for criterion in criteria:
        field = _used_field(criterion)
        value = criterion.fields.get(field) if field else None
        if not isinstance(value, str):
            continue
        path = f"{criterion.path}.{field}"
        if field == "command" and not is_runnable(value):
            yield path, f"{path} must be a command that a shell can split into words."
        elif field == "url" and not is_absolute_url(value.replace(REDACTED, "masked")):
            yield path, f"{path} must be an absolute http or https URL with a host and no spaces."
        elif field == "pattern" and not value.strip():
            yield path, f"{path} must say what to look for; leave it out to set no pattern."


def _used_field(criterion: _Criterion) -> str | None:
    method = criterion.fields.get("method")
    return METHOD_FIELD.get(method) if isinstance(method, str) else None


def _body_faults(package: dict[str, Any]) -> Iterator[tuple[str, str]]:
    refs = package.get("data_refs")
    bodies = [
        place
        for place, ref in enumerate(refs if isinstance(refs, list) else ())
        if isinstance(ref, dict) and ref.get("kind") == "body"
    ]
    for place in bodies[1:]:
        path = f"data_refs[{place}].kind"
        yield path, f"{path} must be file: a package has at most one body."


def _checked(
    raw: dict[str, Any], criteria: list[_Criterion], missing: tuple[str, ...]
) -> CheckedPackage:
    package = raw
    if "urgency" in package:
        package["urgency"] = int(package["urgency"])
    if "data_refs" in package:
        package["data_refs"] = [_whole(ref, "size") for ref in package["data_refs"]]
    keyed = list(_keyed(criteria))
    for stage in STAGES:
        if f"{stage}_criteria" in package:
            package[f"{stage}_criteria"] = [each.fields for each in keyed if each.stage == stage]
    return CheckedPackage(
        package=package,
        criteria=tuple(_spec(criterion) for criterion in keyed),
        urgency=package.get("urgency", DEFAULT_URGENCY),
        mode=package.get("mode", DEFAULT_MODE),
        labels=tuple(dict.fromkeys(package.get("labels", ()))),
        required_skills=tuple(dict.fromkeys(package.get("required_skills", ()))),
        warnings=tuple(pattern_warnings(package)),
        missing=missing,
    )


def _keyed(criteria: list[_Criterion]) -> Iterator[_Criterion]:
    """Each with a key: its own, else the next free b1, b2 or t1, t2 of its stage."""
    own = {criterion.fields.get("key") for criterion in criteria}
    for stage in STAGES:
        free = (key for n in count(1) if (key := f"{stage[0]}{n}") not in own)
        for criterion in criteria:
            if criterion.stage == stage:
                fields = _whole(criterion.fields, "expected_exit_code")
                if "key" not in fields:
                    fields["key"] = next(free)
                yield criterion._replace(fields=fields)


def _whole(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """A copy in which the number of that name is an int: JSON takes 5.0 for a whole number."""
    return {**fields, name: int(fields[name])} if name in fields else {**fields}


def _spec(criterion: _Criterion) -> CriterionSpec:
    fields = criterion.fields
    return CriterionSpec(
        key=fields["key"],
        stage=criterion.stage,
        method=fields["method"],
        description=fields["description"],
        expected=fields["expected"],
        command=fields.get("command"),
        pattern=fields.get("pattern"),
        url=fields.get("url"),
        expected_exit_code=fields.get("expected_exit_code", 0),
    )


def criteria_of(package: Mapping[str, Any]) -> tuple[CriterionSpec, ...]:
    """The criteria of a package that was taken, with its keys filled in."""
    return tuple(map(_spec, _criteria(dict(package))))


def pattern_warnings(package: dict[str, Any]) -> Iterator[Warning_]:
    """A warning for each pattern of a package that was taken which is no RE2 syntax."""
    return _warnings(list(_criteria(package)))


def _warnings(criteria: list[_Criterion]) -> Iterator[Warning_]:
    patterns = [
        (f"{each.path}.pattern", each.fields["pattern"])
        for each in criteria
        if _used_field(each) == "pattern" and "pattern" in each.fields
    ]
    plain = plain_patterns(pattern for _, pattern in patterns)
    for (path, _), is_plain in zip(patterns, plain, strict=True):
        if is_plain:
            message = (
                f"{path} is not RE2 syntax or is too large, so it is looked for as plain text."
            )
            yield Warning_("pattern_is_plain_text", path, message)
        elif is_plain is None:
            message = f"{path} was not tried: the patterns before it are too large together."
            yield Warning_("pattern_not_tried", path, message)
