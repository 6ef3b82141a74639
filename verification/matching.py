"""Does reported evidence name the same command, pattern or url as the criterion?

Runs of white space count as one space. Commands may differ beyond that in what does not change
which program runs with which arguments: how words are quoted, the folder of a program, and the
version at the end of a language runtime's name. All else is a different command. What cannot be
taken apart for sure (substitutions, here-documents, loops) is compared by white space alone.
"""

import re
from typing import Final, NamedTuple

#: Longer commands are compared by white space alone; a criterion's command is far shorter.
LONGEST: Final = 20_000

_SPACES: Final = re.compile(r"[ \t\r\n]+")
_RUNTIME: Final = re.compile(
    r"(bun|dart|deno|elixir|erl|go|graalpy|guile|ipython|java|jruby|julia|lua|luajit|micropython"
    r"|node|nodejs|perl|php|pypy|python|raku|R|Rscript|ruby|scala|swift|tclsh|truffleruby|wish)"
    r"[0-9]+(?:\.[0-9]+)*"
)
_OPERATOR: Final = re.compile(
    r";;&|&>>|;;|;&|&&|&>|\|\||\|&|>>|>&|>\||>\(|<>|<<|<&|<\(|\(\(|[;&|<>()]"
)
#: A program's name may follow these.
_CONTROL: Final = frozenset({";", "&", "&&", "||", "|", "|&", "("})
_RESERVED: Final = frozenset(
    {"!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time"}
)
#: Here-documents, process substitution, arithmetic, case branches.
_UNCLEAR_OPERATORS: Final = frozenset({"<<", "<(", ">(", "((", ";;", ";&", ";;&"})
_UNCLEAR_WORDS: Final = frozenset({"[[", "case", "coproc", "for", "function", "select"})
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_PIECE: Final = re.compile(
    r"(?P<plain>[^ '\"\\$`;&|<>()*?\[{~]+)"
    r"|'(?P<single>[^']*)'"
    r"|\"(?P<double>(?:[^\"\\]|\\.)*+)\""
    r"|\\(?P<escaped>.)"
    r"|(?P<special>[$*?\[{~])",
    re.DOTALL,
)
_IN_DOUBLE: Final = re.compile(r"\\(?P<escaped>[$`\"\\])|(?P<acts>[$`])")
_EXPANDS: Final = re.compile(r"\$[A-Za-z0-9_@*#?$!-]")
_SUBSTITUTES: Final = frozenset("({'\"")
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*+\"|\\\r?\n|\\.", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\\r?\n|\\.", re.DOTALL)

#: Stands before a character that the shell acts on. A command that holds it already is compared
#: by white space alone.
_ACTIVE: Final = "\x00"


class _Token(NamedTuple):
    kind: str  # word, assignment, reserved or operator
    text: str


class _Unclear(Exception):
    """Not something this module takes apart."""


def texts_match(first: str, second: str) -> bool:
    """Equal once runs of spaces, tabs and line breaks are one space and the ends are trimmed."""
    return _spaced(first) == _spaced(second)


def commands_match(criterion: str, reported: str) -> bool:
    """The same program with the same arguments. Symmetric, linear in time, never raises."""
    if texts_match(criterion, reported):
        return True
    if max(len(criterion), len(reported)) > LONGEST or _ACTIVE in criterion + reported:
        return False
    try:
        return _tokens(criterion) == _tokens(reported)
    except _Unclear:
        return False


def _spaced(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" ")


def _tokens(command: str) -> list[_Token]:
    text = _spaced(_QUOTED.sub(_joined, command))
    tokens: list[_Token] = []
    place, leading = 0, True
    while place < len(text):
        if text[place] == " ":
            place += 1
            continue
        if text[place] == "#":
            tokens.append(_Token("operator", text[place:]))
            break
        operator = _OPERATOR.match(text, place)
        if operator is not None:
            token, place = _operator(text, operator), operator.end()
        else:
            token, place = _word(text, place, leading)
        tokens.append(token)
        leading = _leads(token, leading)
    return tokens


def _joined(match: re.Match[str]) -> str:
    """A backslash at the end of a line joins it to the next, except between single quotes."""
    piece = match.group()
    if piece.startswith('"'):
        return _ESCAPED.sub(_joined, piece)
    return "" if piece.startswith("\\") and piece.endswith("\n") else piece


def _operator(text: str, match: re.Match[str]) -> _Token:
    """`a>b` is `a > b`, but a number or a brace that touches a redirection belongs to it."""
    name = match.group()
    before = text[match.start() - 1] if match.start() else " "
    if name in _UNCLEAR_OPERATORS or (name == "(" and before not in " ;&|("):
        raise _Unclear
    touches = name.startswith(("<", ">")) and before in "0123456789}"
    return _Token("operator", "+" * touches + name)


def _leads(token: _Token, leading: bool) -> bool:
    """Whether the next word is a program's name."""
    if token.kind == "operator":
        return token.text in _CONTROL
    return leading and token.kind in {"assignment", "reserved"}


def _word(text: str, start: int, leading: bool) -> tuple[_Token, int]:
    place = start
    pieces: list[str] = []
    while place < len(text) and text[place] not in " ;&|<>()":
        piece = _PIECE.match(text, place)
        if piece is None:
            raise _Unclear
        pieces.append(_meaning(piece, place == start))
        place = piece.end()
    return _classed(text[start:place], "".join(pieces), leading), place


def _classed(written: str, word: str, leading: bool) -> _Token:
    if not leading:
        return _Token("word", word)
    if written in _UNCLEAR_WORDS:
        raise _Unclear
    if written in _RESERVED:
        return _Token("reserved", written)
    if _ASSIGNMENT.match(written):
        return _Token("assignment", word)
    return _Token("word", _program(word))


def _meaning(piece: re.Match[str], first: bool) -> str:
    """What the shell makes of one piece of a word, with `_ACTIVE` before what it acts on."""
    kind = str(piece.lastgroup)
    value = str(piece.group(kind))
    if kind == "double":
        return _IN_DOUBLE.sub(_in_double, value)
    if kind == "special" and _acts(piece.string, piece.start(), first):
        return _ACTIVE + value
    return value


def _in_double(match: re.Match[str]) -> str:
    """Between double quotes only expansions act, and not as bare ones do."""
    if match.lastgroup == "escaped":
        return str(match.group("escaped"))
    text, place = match.string, match.start()
    if text[place] == "`" or text[place + 1 : place + 2] in {"(", "{"}:
        raise _Unclear
    return _ACTIVE * 2 + "$" if _EXPANDS.match(text, place) else "$"


def _acts(text: str, place: int, first: bool) -> bool:
    char, following = text[place], text[place + 1 : place + 2]
    if char == "$":
        if following in _SUBSTITUTES and following:
            raise _Unclear
        return bool(_EXPANDS.match(text, place))
    if char == "{":
        return following not in {"", " ", "}"}
    if char == "~":
        return first or text[place - 1] in ":="
    return True


def _program(word: str) -> str:
    """The name of a program without its folder and without a runtime's version."""
    if _ACTIVE in word.removeprefix(_ACTIVE + "~"):
        return word
    name = word.rpartition("/")[2]
    if name in {"", ".", ".."}:
        return word
    runtime = _RUNTIME.fullmatch(name)
    return runtime.group(1) if runtime else name
