"""Commands made at random: written in other ways they match, changed in what they do they do not."""

import itertools
import time
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verification.matching import commands_match

#: No NUL, which no command may hold, and no white space that a run of would be one space.
LETTERS: Final = st.characters(exclude_characters="\0 \t\r\n", codec="utf-8")
WORD: Final = st.text(LETTERS | st.sampled_from("'\"\\$`*?[{~#;&|<>()! a"), max_size=8).map(
    lambda word: " ".join(word.split())
)
PROGRAM: Final = st.sampled_from(["npm", "make", "cargo-nextest", "a.out", "g++", "täst"])
RUNTIME: Final = st.sampled_from(["python", "php", "node", "ruby", "perl", "lua", "java", "R"])
FOLDER: Final = st.sampled_from(["", "./", "../", "/usr/bin/", "bin/", "/opt/v1.2/my tools/"])
VERSION: Final = st.sampled_from(["", "3", "3.11", "8.3.1", "20"])
OPERATOR: Final = st.sampled_from(["&&", "||", "|", ";", "&", "|&"])
#: Where a style may be chosen anew for each character of a word.
STYLE: Final = st.sampled_from(["single", "double", "escaped", "bare"])
PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-")


def quoted(char: str, style: str) -> str:
    if style == "bare" and char in PLAIN:
        return char
    if style == "single" and char != "'":
        return f"'{char}'"
    if style == "double" and char != "!":
        return '"' + ("\\" if char in '$`"\\' else "") + char + '"'
    return "\\" + char


def written(draw: st.DrawFn, word: str) -> str:
    """One way to write the word down."""
    if not word:
        return draw(st.sampled_from(["''", '""']))
    return "".join(quoted(char, draw(STYLE)) for char in word)


def spaced(draw: st.DrawFn, pieces: list[str], spaces: list[str]) -> str:
    """White space of some kind between the pieces."""
    return pieces[0] + "".join(draw(st.sampled_from(spaces)) + piece for piece in pieces[1:])


SPACES: Final = [" ", "  ", "\t", "\n", "\r\n"]


@st.composite
def two_ways(draw: st.DrawFn, joined: bool = True) -> tuple[str, str]:
    """A command line, twice; `joined` says whether lines may end in a backslash."""
    lines: list[list[str]] = [[], []]
    for n in range(draw(st.integers(1, 3))):
        operator = [draw(OPERATOR)] if n else []
        program, versions = draw(PROGRAM), ["", ""]
        if draw(st.booleans()):
            program, versions = draw(RUNTIME), [draw(VERSION), draw(VERSION)]
        words = draw(st.lists(WORD, max_size=3))
        for line, version in zip(lines, versions, strict=True):
            name = draw(FOLDER) + program + version
            line += [*operator, *(written(draw, word) for word in (name, *words))]
    spaces = [*SPACES, " \\\n "] if joined else SPACES
    return spaced(draw, lines[0], spaces), spaced(draw, lines[1], spaces)


@settings(max_examples=150, deadline=None)
@given(two_ways())
def test_a_command_matches_however_it_is_written(commands: tuple[str, str]) -> None:
    first, second = commands
    assert commands_match(first, second)
    assert commands_match(second, first)


@st.composite
def changed_word(draw: st.DrawFn) -> tuple[str, str]:
    """A command, and one with an argument changed, added or taken away."""
    words = draw(st.lists(WORD, min_size=1, max_size=4))
    place = draw(st.integers(0, len(words) - 1))
    new = draw(
        st.sampled_from([[], [words[place], ""], [words[place] + "x"], ["x" + words[place]]])
    )
    other = [*words[:place], *new, *words[place + 1 :]]
    first, second = (
        " ".join(["npm", *(written(draw, word) for word in line)]) for line in (words, other)
    )
    return first, second


@settings(max_examples=150, deadline=None)
@given(changed_word())
def test_another_argument_is_another_command(commands: tuple[str, str]) -> None:
    first, second = commands
    assert not commands_match(first, second)


@settings(max_examples=60, deadline=None)
@given(two_ways(), OPERATOR, OPERATOR)
def test_another_operator_is_another_command(
    commands: tuple[str, str], one: str, other: str
) -> None:
    first, second = commands
    assert commands_match(f"{first} {one} make", f"{second} {other} make") is (one == other)


@settings(max_examples=60, deadline=None)
@given(two_ways(joined=False), two_ways(joined=False))
def test_it_is_transitive(some: tuple[str, str], others: tuple[str, str]) -> None:
    """But for a backslash and a line break: to the white-space rule, which comes first, that
    backslash stays, and to the shell it goes."""
    for first, second, third in itertools.permutations([*some, others[0]]):
        if commands_match(first, second) and commands_match(second, third):
            assert commands_match(first, third)


HOSTILE: Final = ("'", '"', "\\", '"\\"', "$", "(", "a=[", "~", "a ", "\\\n", "#", "a/", "{", "<")


@pytest.mark.parametrize("piece", HOSTILE)
def test_it_stays_linear(piece: str) -> None:
    """The best of two, in this thread's own time: a busy machine must not decide."""

    def cost(length: int) -> float:
        text = "run " + piece * (length // len(piece))
        times = []
        for _ in range(2):
            started = time.thread_time()
            commands_match(text, text + "x")
            times.append(time.thread_time() - started)
        return min(times)

    short = cost(4_000)
    assert short < 0.25
    assert cost(12_000) < 6 * short + 0.05
