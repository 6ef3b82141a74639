"""Request bodies by JSON Schema (2020-12): every fault at once, each in a plain sentence.

The same schemas stand in the OpenAPI document, so what is checked is what is documented.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema_rs

from stuckbot.lib.errors import invalid_fields
from stuckbot.lib.strict_json import text_cleaned, text_faults

type_names: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


#: The pattern of a text in which something can be seen.
VISIBLE: Final = "\\S"


class Shape:
    """A JSON Schema with a validator made once.

    `texts_later`: texts that cannot be stored are left for the handler to name. `outputs` are the
    paths of what a program printed: NUL is kept there as it came.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        *,
        texts_later: bool = False,
        outputs: frozenset[str] = frozenset(),
    ) -> None:
        self.schema = dict(schema)
        self._texts_later = texts_later
        self._outputs = outputs
        self._validator = jsonschema_rs.Draft202012Validator(
            self.schema, pattern_options=jsonschema_rs.RegexOptions()
        )

    def faults(self, value: Any) -> list[tuple[str, str]]:
        """(path, sentence) for every fault; one per path, in the order found."""
        found = dict(text_faults(value))
        # The validator takes no lone surrogates; the rest of the body is still checked.
        checked = text_cleaned(value) if found else value
        found = {} if self._texts_later else self._unstorable(found)
        for error in self._validator.iter_errors(checked):
            for path, message in _faults_of(error):
                found.setdefault(path, message)
        return list(found.items())

    def _unstorable(self, found: dict[str, str]) -> dict[str, str]:
        return {
            path: message
            for path, message in found.items()
            if path not in self._outputs or "surrogate" in message
        }

    def require(self, value: Any) -> None:
        faults = self.faults(value)
        if faults:
            raise invalid_fields(faults)


def path_join(path: str, step: str | int) -> str:
    if isinstance(step, int):
        return f"{path}[{step}]"
    return f"{path}.{step}" if path else step


def path_of(steps: list[str | int]) -> str:
    path = ""
    for step in steps:
        path = path_join(path, step)
    return path


def _faults_of(error: jsonschema_rs.ValidationError) -> Iterator[tuple[str, str]]:
    path = path_of(error.instance_path)
    kind = error.kind
    name = path or "The body"
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        missing = path_join(path, kind.property)
        yield missing, f"Add {missing}."
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        for extra in kind.unexpected:
            yield path_join(path, extra), f"There is no field {extra} here. Remove it."
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Type):
        wanted = " or ".join(type_names.get(one, one) for one in kind.types)
        yield path, f"{name} must be {wanted}."
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Enum):
        yield path, f"{name} must be one of {', '.join(map(str, kind.options))}."
    else:
        yield path, _limit_sentence(name, error)


def _limit_sentence(name: str, error: jsonschema_rs.ValidationError) -> str:
    kind = error.kind
    kinds = jsonschema_rs.ValidationErrorKind
    limit = getattr(kind, "limit", None)
    if isinstance(kind, kinds.MinLength):
        return (
            f"{name} must not be empty."
            if limit == 1
            else f"{name} is too short: {limit} at least."
        )
    if isinstance(kind, kinds.MaxLength):
        return f"{name} may have {limit:,} characters at most."
    if isinstance(kind, kinds.Pattern) and kind.pattern == VISIBLE:
        return f"{name} must not be blank."
    if isinstance(kind, kinds.MinItems):
        return f"{name} needs at least {limit}."
    if isinstance(kind, kinds.MaxItems):
        return f"{name} may list {limit} at most."
    if isinstance(kind, kinds.Minimum):
        return f"{name} must be {limit} or more."
    if isinstance(kind, kinds.Maximum):
        return f"{name} must be {limit} or less."
    if isinstance(kind, kinds.MaxProperties):
        return f"{name} may have {limit} entries at most."
    if isinstance(kind, kinds.PropertyNames):
        return f"{name} has a name that is too long or holds what cannot be shown; see the API."
    return f"{name} does not have the form that is wanted here; see the API document."
