"""Mutants of tables: modules in which one rule, word or alternative of a pattern is missing.

Tools for mutation testing change what functions do. Much of what masking and matching know stands
in constants of their modules instead, so each entry of those is taken away in turn, and some test
must notice.
"""

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

Shortener = Callable[[str], Iterator[tuple[str, str]]]


class Mutant(NamedTuple):
    """`source` is the whole module; `label` says what it lacks: a rule, or one word of many."""

    kind: str
    label: str
    source: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """Each module that lacks one entry of a constant."""
    tree = ast.parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            named, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            named, value = statement.target, statement.value
        else:
            continue
        if ast.unparse(named) == "__all__":
            continue  # what a module offers decides nothing
        for kind, gone in _changes(value):
            label = f"{statement.lineno} {ast.unparse(named)} without {gone[:60]}"
            yield Mutant(kind, label, ast.unparse(tree))


def _changes(value: ast.expr) -> Iterator[tuple[str, str]]:
    """Changes the tree for the time of each step; the kind of change, and what is missing."""
    words = {id(constant) for constant in _words(value)}
    entries: set[int] = set()
    for node in ast.walk(value):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            entries |= {id(entry) for entry in node.elts}
            yield from (("rules", gone) for gone in _without_each(node.elts))
        elif isinstance(node, ast.Dict):
            entries |= {id(entry) for entry in node.keys}
            yield from (("rules", gone) for gone in _without_each_key(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            if id(node) in words:
                yield from (("words", gone) for gone in _shortened(node, _fewer_words))
            elif id(node) not in entries:
                yield from (("rules", gone) for gone in _shortened(node, _fewer_alternatives))


def _words(value: ast.expr) -> Iterator[ast.expr]:
    """The constants that are words with spaces between, taken apart by `split`."""
    for node in ast.walk(value):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "split"
        ):
            yield node.func.value


def _without_each(entries: list[ast.expr]) -> Iterator[str]:
    for place, entry in enumerate(entries):
        del entries[place]
        yield ast.unparse(entry)
        entries.insert(place, entry)


def _without_each_key(node: ast.Dict) -> Iterator[str]:
    for place, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        del node.keys[place], node.values[place]
        yield ast.unparse(key) if key else "**"
        node.keys.insert(place, key)
        node.values.insert(place, value)


def _shortened(node: ast.Constant, shorter: Shortener) -> Iterator[str]:
    whole = node.value
    is_bytes = isinstance(whole, bytes)
    text = whole.decode("latin-1") if isinstance(whole, bytes) else str(whole)
    for gone, rest in shorter(text):
        node.value = rest.encode("latin-1") if is_bytes else rest
        yield " ".join(gone.split())
    node.value = whole


def _fewer_words(text: str) -> Iterator[tuple[str, str]]:
    words = text.split()
    for place, word in enumerate(words):
        yield word, " ".join(words[:place] + words[place + 1 :])


def _fewer_alternatives(pattern: str) -> Iterator[tuple[str, str]]:
    """The pattern without each alternative of each group that has several."""
    for start, end in _alternatives(pattern):
        gone = pattern[start:end]
        if pattern[start - 1 : start] == "|":
            yield gone, pattern[: start - 1] + pattern[end:]
        else:
            yield gone, pattern[:start] + pattern[end + 1 :]


def _alternatives(pattern: str) -> Iterator[tuple[int, int]]:
    """Where each alternative stands that has another one beside it."""
    open_groups = [[0]]
    for place, char in _significant(pattern):
        if char == "(":
            open_groups.append([_body(pattern, place + 1)])
        elif char == "|":
            open_groups[-1].append(place + 1)
        elif len(open_groups) > 1:
            yield from _ended(open_groups.pop(), place)
    if len(open_groups) == 1:
        yield from _ended(open_groups[0], len(pattern))


def _ended(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    if len(starts) > 1:
        ends = [start - 1 for start in starts[1:]] + [end]
        yield from zip(starts, ends, strict=True)


def _body(pattern: str, place: int) -> int:
    """Past what says the kind of a group: `?:`, `?<!`, `?P<name>`, `?i:`."""
    if pattern[place : place + 1] != "?":
        return place
    for opening in ("?<=", "?<!", "?=", "?!", "?:", "?>"):
        if pattern.startswith(opening, place):
            return place + len(opening)
    ends = [pattern.find(mark, place) for mark in (">", ":", ")")]
    end = min((found for found in ends if found >= 0), default=place)
    return end if pattern[end : end + 1] == ")" else end + 1


def _significant(pattern: str) -> Iterator[tuple[int, str]]:
    """Brackets of groups and bars, outside character classes and not escaped."""
    place, in_class = 0, False
    while place < len(pattern):
        char = pattern[place]
        if char == "\\":
            place += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            # A bracket that comes first stands for itself.
            place += len(pattern[place + 1 :]) - len(pattern[place + 1 :].lstrip("^"))
            place += pattern[place + 1 : place + 2] == "]"
        elif char in "(|)":
            yield place, char
        place += 1
