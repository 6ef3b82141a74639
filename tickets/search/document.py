"""Which words a ticket is found by, from what is stored of it: masked text alone.

Bounded: of very long texts the beginning and the end count, for that is where a log says what
went wrong. A ticket has at most some 4,000 words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

from tickets.search.stems import stems
from tickets.search.tokens import humps, tokens

#: Stands between texts, so that no phrase reaches from one into the next. No token holds it.
GAP: Final = "¶"
#: Words of each text.
_MOST: Final = {"objective": 400, "stuck_reason": 800, "errors": 1_200, "attempts": 600}
_SUMMARY_MOST: Final = 600
_ANSWER_MOST: Final = 600
_TITLE_MOST: Final = 100
_HUMPS_MOST: Final = 200
#: Letters that are looked at for so many words.
_LETTERS: Final = 12


@dataclass(frozen=True, slots=True)
class Source:
    """What is stored of a ticket, as far as it is found by it. `reader_ids`: actors who read it
    whatever projects they have."""

    org_id: UUID
    ticket_id: UUID
    number: int
    project_id: UUID
    reader_ids: Sequence[UUID]
    labels: Sequence[str]
    title: str
    summary: Mapping[str, Any]
    package: Mapping[str, Any]
    answers: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Document:
    """Words by place: the title's, all others', the parts of names with humps, who may read it;
    and the stems that the problem is known by."""

    title: list[str]
    body: list[str]
    parts: list[str]
    scope: list[str]
    stems: list[str]


def document_of(source: Source) -> Document:
    texts = list(_texts(source))
    title = tokens(source.title)[:_TITLE_MOST]
    body: list[str] = []
    for text, most in texts:
        body += [*_bounded(text, most), GAP]
    for label in source.labels:
        body += [*tokens(label), GAP]
    body += ["sb", str(source.number)]
    parts = _parts([source.title, *(one for one, _ in texts)])
    known_by = problem_stems(source.title, source.package)
    return Document(title, body, parts, _scope(source), known_by)


def problem_texts(title: str, package: Mapping[str, Any]) -> list[str]:
    """What says which problem it is: its title, why the agent is stuck, the errors it saw."""
    return [title, *_listed(package.get("stuck_reason")), *islice(_errors(package), 20)]


def problem_stems(title: str, package: Mapping[str, Any]) -> list[str]:
    """What the problem is known by."""
    return stems(problem_texts(title, package))


def scope_project(project_id: UUID) -> str:
    return f"p{project_id.hex}"


def scope_reader(actor_id: UUID) -> str:
    return f"a{actor_id.hex}"


def _scope(source: Source) -> list[str]:
    readers = [scope_reader(one) for one in source.reader_ids]
    return [scope_project(source.project_id), *sorted(set(readers))]


def _texts(source: Source) -> Iterator[tuple[str, int]]:
    """Each text with how many of its words count."""
    for value in source.summary.values():
        yield str(value), _SUMMARY_MOST
    for name in ("objective", "stuck_reason"):
        for text in _listed(source.package.get(name)):
            yield text, _MOST[name]
    yield from _shared(list(_errors(source.package)), _MOST["errors"])
    yield from _shared(list(_attempts(source.package)), _MOST["attempts"])
    for answer in source.answers:
        yield from ((str(value), _ANSWER_MOST) for value in answer.values() if value)


def _shared(texts: Sequence[str], most: int) -> Iterator[tuple[str, int]]:
    """Texts of one field, which share what counts of it."""
    for text in texts[:20]:
        yield text, max(50, most // len(texts[:20]))


def _errors(package: Mapping[str, Any]) -> Iterator[str]:
    context = package.get("context")
    return _listed(context.get("errors") if isinstance(context, Mapping) else None)


def _attempts(package: Mapping[str, Any]) -> Iterator[str]:
    listed = package.get("attempts")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping):
            yield " ".join(str(value) for value in one.values() if isinstance(value, str))
        elif isinstance(one, str):
            yield one


def _listed(value: Any) -> Iterator[str]:
    """A text, or each of a list of texts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))


def _bounded(text: str, most: int) -> list[str]:
    """The words of a text; of one with too many two thirds from its beginning, one from its end."""
    letters = most * _LETTERS
    if len(text) > letters:
        text = f"{text[: letters * 2 // 3]} {text[-letters // 3 :]}"
    found = tokens(text)
    if len(found) <= most:
        return found
    return [*found[: most * 2 // 3], GAP, *found[-(most // 3) :]]


def _parts(texts: Iterable[str]) -> list[str]:
    """Each name with humps once."""
    found: dict[tuple[str, ...], None] = {}
    for text in texts:
        for parts in humps(text[: 1_200 * _LETTERS]):
            found[tuple(parts)] = None
            if len(found) >= _HUMPS_MOST:
                break
    return [word for parts in found for word in (*parts, GAP)]
