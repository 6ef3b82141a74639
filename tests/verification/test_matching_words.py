"""The words and operators that a shell gives a meaning of its own, each by itself."""

import pytest

from verification.matching import commands_match

RUNTIMES = [
    "bun",
    "dart",
    "deno",
    "elixir",
    "erl",
    "go",
    "graalpy",
    "guile",
    "ipython",
    "java",
    "jruby",
    "julia",
    "lua",
    "luajit",
    "micropython",
    "node",
    "nodejs",
    "perl",
    "php",
    "pypy",
    "python",
    "raku",
    "R",
    "Rscript",
    "ruby",
    "scala",
    "swift",
    "tclsh",
    "truffleruby",
    "wish",
]
OPERATORS = [
    "&&",
    "||",
    "|&",
    "&>",
    "&>>",
    ">>",
    ">&",
    ">|",
    "<>",
    "<&",
    "<<",
    "<(",
    ">(",
    "((",
    ";;",
    ";&",
    ";;&",
]
BEFORE_PROGRAMS = ["&&", "||", "|", "|&", ";", "&"]
RESERVED = [
    "!",
    "{",
    "}",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "while",
    "until",
    "do",
    "done",
    "time",
]
UNCLEAR = ["<< E", "<(", ">(", "((", ";;", ";&", ";;&"]
UNCLEAR_WORDS = ["[[", "case", "coproc", "for", "function", "select"]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_runtime_may_say_its_version(runtime: str) -> None:
    for version in ("3", "20", "5.4", "3.11.7"):
        assert commands_match(f"{runtime} a", f"/usr/bin/{runtime}{version} a")
        assert commands_match(f"{runtime}1 a", f"{runtime}{version} a")
    for other in ("x", "-3", "3-x", "3.", ".3", "3a", "_3"):
        assert not commands_match(f"{runtime} a", f"{runtime}{other} a")


@pytest.mark.parametrize("program", ["gcc", "pip", "npm", "make", "clang", "git", "xpython"])
def test_no_other_program_may(program: str) -> None:
    assert not commands_match(f"{program} a", f"{program}3 a")


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_is_one_piece(operator: str) -> None:
    for place in range(1, len(operator)):
        apart = f"{operator[:place]} {operator[place:]}"
        assert not commands_match(f"a {operator} b", f"a {apart} b")


@pytest.mark.parametrize("operator", ["&&", "||", "|", "|&", ";", "&", ">", "<", ">>", "&>", "&>>"])
def test_an_operator_needs_no_space(operator: str) -> None:
    assert commands_match(f"a{operator}b", f"a {operator} b")
    assert not commands_match(f"a{operator}b", f"a '{operator}' b")


@pytest.mark.parametrize("operator", BEFORE_PROGRAMS)
def test_a_program_stands_after_a_control_operator(operator: str) -> None:
    assert commands_match(f"a {operator} /usr/bin/python3 b", f"a {operator} python b")
    assert not commands_match(f"a > f {operator} b", f"a > g {operator} b")


def test_a_program_stands_in_a_subshell() -> None:
    assert commands_match("a && (/bin/b; /bin/c)", "a && (b; c)")


@pytest.mark.parametrize("operator", [">", "<", ">>", ">|", "<>", "&>", "&>>", ">&", "<&"])
def test_a_file_stands_after_a_redirection(operator: str) -> None:
    assert not commands_match(f"a {operator} x/f", f"a {operator} f")
    assert not commands_match(f"a {operator} python3", f"a {operator} python")
    assert commands_match(f"a {operator} f", f"a {operator} 'f'")


@pytest.mark.parametrize("word", RESERVED)
def test_a_program_stands_after_a_reserved_word(word: str) -> None:
    assert commands_match(f"{word} /usr/bin/a", f"{word} a")
    assert not commands_match(f"{word} a", f"'{word}' a")
    assert commands_match(f"echo x{word}", f"echo 'x{word}'")


@pytest.mark.parametrize("operator", UNCLEAR)
def test_what_is_not_taken_apart_is_compared_as_written(operator: str) -> None:
    assert commands_match(f"a {operator} b  c", f"a {operator} b c")
    assert not commands_match(f"a {operator} b 'c'", f"a {operator} b c")


@pytest.mark.parametrize("word", UNCLEAR_WORDS)
def test_a_compound_command_is_compared_as_written(word: str) -> None:
    assert not commands_match(f"{word} a 'b'", f"{word} a b")
    assert commands_match(f"echo {word} 'b'", f"echo {word} b")
