"""A package on its way in: checked, its words judged, masked as a whole, before any write.

What comes out is what is stored, answered and matched later: the rows of its criteria are taken
from the masked package, so that the two cannot differ.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import SECRET_REFUSED, Invalid, TooLarge, invalid_fields
from stuckbot.lib.masking import Finding, MaskedValue, looks_secret, mask_value
from stuckbot.lib.strict_json import text_cleaned, text_faults
from tickets.packages.check import (
    CheckedPackage,
    CriterionSpec,
    PackageRefused,
    Warning_,
    check_package,
    package_missing,
)
from tickets.packages.commands import is_runnable
from tickets.packages.messages import secret_in_command, secret_word
from tickets.packages.warnings import package_warnings
from tickets.services.findings import findings_bounded

PACKAGE_BYTES: Final = 262_144
_STAGES: Final = ("blocker_criteria", "task_criteria")
#: What masking never touches in the objects of a list.
_OPAQUE: Final = {
    "data_refs": ("object", "kind", "size"),
    **dict.fromkeys(_STAGES, ("method", "expected_exit_code")),
}
#: A list longer than this is refused whatever it holds.
_WORDS_TRIED: Final = 200

Faults = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Intake:
    """A package that may be stored. `checked` holds the masked package, and so do its criteria;
    `body` is the same for its content row."""

    checked: CheckedPackage
    body: MaskedValue

    @property
    def warnings(self) -> tuple[Warning_, ...]:
        return package_warnings(self.package)

    @property
    def package(self) -> dict[str, Any]:
        return self.checked.package


@dataclass(frozen=True, slots=True)
class Tried:
    """What filing a package would be told. `package`: as it would be stored, where it would."""

    faults: Faults
    warnings: tuple[Warning_, ...]
    masked: list[Finding]
    package: Mapping[str, Any] | None = None
    #: What a ticket would lack that is filed of it all the same.
    missing: tuple[str, ...] = ()


def package_take(raw: object, *, allow_incomplete: bool = False) -> Intake:
    """The package ready to store, or one 422 with every fault; 413 when it is too large.

    The code is `secret_refused` when a label, a skill or a key looks like a secret, whatever else
    is wrong with the package.
    """
    if isinstance(raw, Mapping) and not text_faults(raw) and len(json_bytes(raw)) >= PACKAGE_BYTES:
        raise TooLarge(
            f"The package must be under {PACKAGE_BYTES:,} bytes. "
            "Put long logs in a file and list it in context.attachment_ids."
        )
    words = _secret_words(raw)
    try:
        checked = check_package(raw, allow_incomplete=allow_incomplete)
    except PackageRefused as refused:
        faults = [(_inside(one.path), one.message) for one in refused.faults]
        raise _refusal(words, faults) from refused
    body = package_masked(checked.package)
    words |= _words_changed(checked.package, body.value)
    words |= _commands_broken(checked, body.value)
    if words:
        raise _refusal(words, [])
    masked = replace(checked, package=body.value, criteria=_specs(checked, body.value))
    return Intake(masked, body)


def package_try(raw: object) -> Tried:
    """What filing this package would be told; nothing is stored."""
    try:
        taken = package_take(raw)
    except Invalid as refused:
        faults = [(one["path"], one["message"]) for one in refused.details["fields"]]
        lacks = package_missing(raw) if isinstance(raw, Mapping) else ()
        return Tried(faults, (), findings_bounded(_would_mask(raw)), missing=lacks)
    except TooLarge as refused:
        return Tried([("package", refused.message)], (), [])
    return Tried([], taken.warnings, findings_bounded(taken.body.findings), taken.package)


def _would_mask(raw: object) -> tuple[Finding, ...]:
    return package_masked(text_cleaned(raw)).findings if isinstance(raw, Mapping) else ()


def package_masked(package: Mapping[str, Any]) -> MaskedValue:
    """The package with every free text masked in one go, so that a secret found once is masked
    wherever it stands. Codes, hashes and counts are left out of it and put back as they were."""
    copied = _copied(package)
    kept = [(path, _swap(copied, path, None)) for path in _opaque(package)]
    masked = mask_value(copied, "package")
    for path, value in kept:
        _swap(masked.value, path, value)
    spent = package.get("budget_spent")
    if isinstance(spent, Mapping):
        masked.value["budget_spent"] = _spent(masked.value["budget_spent"], spent)
    return masked


def _copied(package: Mapping[str, Any]) -> dict[str, Any]:
    """A copy down to what `_opaque` names; what was spent without its numbers."""
    made = dict(package)
    for name in ("data_refs", *_STAGES):
        if isinstance(made.get(name), list):
            made[name] = [dict(one) if isinstance(one, dict) else one for one in made[name]]
    for name in ("context", "budget_spent"):
        if isinstance(made.get(name), Mapping):
            made[name] = dict(made[name])
    if isinstance(made.get("budget_spent"), dict):
        numbers = [key for key, value in made["budget_spent"].items() if _is_number(value)]
        made["budget_spent"] |= dict.fromkeys(numbers)
    return made


def _opaque(package: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Paths of what masking never touches: each is checked to be a code, an id or a number."""
    for name in ("schema_version", "mode", "urgency"):
        if name in package:
            yield (name,)
    if _is_number(package.get("budget_spent")):
        yield ("budget_spent",)
    context = package.get("context")
    if isinstance(context, Mapping) and "attachment_ids" in context:
        yield "context", "attachment_ids"
    for holder, names in _OPAQUE.items():
        for place, one in _objects(package.get(holder)):
            yield from ((holder, place, name) for name in names if name in one)


def _swap(holder: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Puts the value at the path and returns what stood there."""
    for step in path[:-1]:
        holder = holder[step]
    before, holder[path[-1]] = holder[path[-1]], value
    return before


def _spent(masked: Mapping[str, Any], spent: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers stay numbers under any name; only the names are free text."""
    if len(masked) != len(spent):
        return {f"spent_{place}": value for place, value in enumerate(spent.values(), start=1)}
    pairs = zip(masked.items(), spent.values(), strict=True)
    return {name: value if _is_number(value) else clean for (name, clean), value in pairs}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _objects(listed: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for place, one in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(one, dict):
            yield place, one


def _words(package: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and value of each word that stands outside of free text."""
    for name in ("labels", "required_skills"):
        listed = package.get(name)
        for place, word in enumerate(listed[:_WORDS_TRIED] if isinstance(listed, list) else ()):
            if isinstance(word, str):
                yield f"{name}[{place}]", word
    for name, field in ((_STAGES[0], "key"), (_STAGES[1], "key"), ("data_refs", "store")):
        for place, one in islice(_objects(package.get(name)), _WORDS_TRIED):
            if isinstance(one.get(field), str):
                yield f"{name}[{place}].{field}", one[field]


def _secret_words(raw: object) -> dict[str, str]:
    """Path and sentence of each word that looks like a secret by itself."""
    if not isinstance(raw, Mapping):
        return {}
    return {
        _inside(path): secret_word(_inside(path))
        for path, word in _words(raw)
        if looks_secret(text_cleaned(word))
    }


def _words_changed(package: Mapping[str, Any], masked: Mapping[str, Any]) -> dict[str, str]:
    """Those that are a secret only because it stands elsewhere in the package as one."""
    before, after = dict(_words(package)), dict(_words(masked))
    return {
        _inside(path): secret_word(_inside(path))
        for path, word in before.items()
        if after.get(path) != word
    }


def _commands_broken(checked: CheckedPackage, package: Mapping[str, Any]) -> dict[str, str]:
    """Commands that no shell can split any more once the secret in them is masked."""
    found = {}
    for stage in _STAGES:
        for place, one in _objects(package.get(stage)):
            path = f"package.{stage}[{place}].command"
            was = checked.package[stage][place].get("command")
            if was is not None and one["command"] != was and not is_runnable(one["command"]):
                found[path] = secret_in_command(path)
    return found


def _refusal(words: dict[str, str], faults: Faults) -> Invalid:
    """All faults at once, one a path."""
    found = [*words.items(), *((path, told) for path, told in faults if path not in words)]
    return invalid_fields(found, code=SECRET_REFUSED if words else None)


def _specs(checked: CheckedPackage, package: Mapping[str, Any]) -> tuple[CriterionSpec, ...]:
    """The criteria with their texts as the masked package has them."""
    fields = [one for stage in _STAGES for one in package.get(stage, ())]
    return tuple(
        replace(
            spec,
            description=one["description"],
            expected=one["expected"],
            command=one.get("command"),
            pattern=one.get("pattern"),
            url=one.get("url"),
        )
        for spec, one in zip(checked.criteria, fields, strict=True)
    )


def _inside(path: str) -> str:
    return f"package.{path}" if path else "package"
