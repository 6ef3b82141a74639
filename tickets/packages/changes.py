"""What differs between two versions of a package, field by field."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

#: Lists whose items have a key of their own.
_KEYED: Final = ("blocker_criteria", "task_criteria")
#: Fields whose parts are told one by one.
_PARTS: Final = ("human_summary", "context")


class Changed(NamedTuple):
    """A field at a path such as `package.context.logs`; None where it is not there."""

    path: str
    before: Any
    after: Any


def package_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Changed]:
    return list(_changes("package", before, after))


def _changes(path: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Changed]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        place = f"{path}.{name}"
        if old == new and type(old) is type(new):
            continue
        if name in _KEYED:
            yield from _changes(place, _by_key(old), _by_key(new))
        elif name in _PARTS and isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _changes(place, old, new)
        else:
            yield Changed(place, old, new)


def _by_key(criteria: Any) -> dict[str, Any]:
    return {str(one.get("key")): one for one in criteria or ()}
