"""Which reported commands are the criterion's command, and which are another one."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verification.matching import LONGEST, commands_match, texts_match

SAME = [
    ("npm test", "npm  test", "white space"),
    ("npm test", " npm\ttest\n", "white space"),
    ("npm test", "npm\r\ntest", "white space"),
    ("npm run lint\nnpm test", "npm run lint npm test", "a line break is white space"),
    ("bundle exec rspec", "bundle exec rspec ", "trailing space"),
    ("go test ./...", "go test ./...", "equal"),
    ('npm "test', ' npm  "test', "equal though no shell takes it"),
    ("npm test", "'npm' \"test\"", "quoting"),
    ("npm test", "npm te\\st", "quoting"),
    ("npm test", "np''m test", "quoting"),
    ("grep 'a b' f", 'grep "a b" f', "quoting"),
    ("grep 'a b' f", "grep a\\ b f", "quoting"),
    ("grep 'a  b' f", "grep 'a b' f", "white space comes first"),
    ("printf '\\n'", 'printf "\\n"', "both keep the backslash"),
    ("echo 'it'\\''s'", 'echo "it\'s"', "quoting"),
    ("echo 'a$'", 'echo "a$"', "a dollar that expands nothing"),
    ("echo '$X'", "echo \\$X", "an escaped dollar"),
    ("echo '`'", 'echo "\\`"', "an escaped backquote"),
    ("echo 'a;b'", "echo a\\;b", "a quoted operator"),
    ("echo 'a;b'", 'echo "a;b"', "a quoted operator"),
    ("find . -exec x {} \\;", "find . -exec x '{}' ';'", "braces that stand for the file"),
    ("echo a#b", "echo 'a#b'", "no comment inside a word"),
    ("echo done", "echo 'done'", "a reserved word as an argument"),
    ("npm ''", 'npm ""', "an empty word"),
    ("echo 'x' \u00a0", "echo x '\u00a0'", "a no-break space is a character"),
    ("npm test", "/usr/local/bin/npm test", "folder"),
    ("./gradlew test", "gradlew test", "folder"),
    ("npm test", "~/bin/npm test", "folder"),
    ("'my prog' x", "'/opt/my tools/my prog' x", "folder"),
    ("php -l app.php", "'/usr/bin/php8.3' '-l' 'app.php'", "folder, version and quoting"),
    ("python -m pytest -q", "python3.11 -m pytest -q", "version"),
    ("python3 -m pytest -q", "/opt/venv/bin/python -m pytest -q", "version and folder"),
    ("python3.11 -m build", "python3.12 -m build", "two versions"),
    ("node index.js", "node20 index.js", "version"),
    ("ruby3.2 a.rb", "ruby a.rb", "version"),
    ("perl a.pl", "perl5.36.0 a.pl", "version"),
    ("make a && make b", "make a && make b", "the same operators"),
    ("make a && python3 b", "make a&&/usr/bin/python b", "a program after an operator"),
    ("(cd x; ./t)", "(cd x; t)", "a program in a subshell"),
    ("X=1 npm test", "X='1' /usr/bin/npm test", "a program after an assignment"),
    ("! npm test", "! /usr/bin/npm test", "a program after a reserved word"),
    ("make 2>&1", "make 2>& 1", "space after a redirection"),
    ("make > log", "make >'log'", "a quoted file"),
    ("docker build \\\n -t x .", "docker build -t x .", "a joined line"),
    ('echo "a\\\nb"', "echo ab", "a joined line in double quotes"),
    ("npm test", "npm test\\\n", "a joined line with nothing on it"),
    ("npm test", "\\npm test", "quoting that goes around an alias"),
    ("npm test", "../bin/npm test", "folder"),
    ("npm test", "~ci/bin/npm test", "folder"),
    ("npm test", "bin/npm test", "folder"),
    ("lua5.4 a.lua", "/opt/lua/bin/lua a.lua", "version and folder"),
    ("pypy3.10 a.py", "pypy a.py", "version"),
    ("Rscript4.3 a.R", "Rscript a.R", "version"),
    ("'python3.11' a.py", 'python"3" a.py', "a quoted version"),
    ("X=1 python3 a.py", "X=1 python a.py", "version after an assignment"),
    ("makeX>log", "makeX > log", "space before a redirection"),
    ("make 2>log", "make 2> 'log'", "the number of a redirection"),
    ("echo 2 > f", "echo '2' > f", "a number apart from the redirection"),
    ("echo a$", "echo 'a$'", "a dollar that expands nothing"),
    ("echo $X a", "echo $X 'a'", "the same expansion"),
    ("echo {", "echo '{'", "a brace that stands alone"),
    ("echo { a", "echo '{' a", "a brace that stands alone"),
    ("echo a~b", "echo 'a~b'", "a tilde inside a word"),
    ("echo X~b", "echo 'X~b'", "a tilde inside a word"),
    ("npm test # 'a'  b", "'npm' test # 'a' b", "the same comment"),
    ("ls *.py a", "ls *.py 'a'", "the same file names"),
    ("curl -H 'A: [REDACTED]' h", 'curl -H "A: [REDACTED]" h', "a masked value"),
    ("grep 'ü' f", "grep ü f", "letters of any script"),
]

DIFFERENT = [
    ("npm test", "npm run test", "arguments"),
    ("npm test", "npm", "argument missing"),
    ("npm test", "npm test --silent", "argument added"),
    ("npm test", "npm test ''", "empty argument added"),
    ("npm test", "npm Test", "case"),
    ("npm test", "yarn test", "program"),
    ("npm test", "", "empty"),
    ("grep 'a b' f", "grep a b f", "word split"),
    ("npm test", '"npm test"', "one word"),
    ("make -j 4 check", "make -j4 check", "words"),
    ("a\\ \\ b", "'a b'", "two spaces that are no run"),
    ("make check", "make check; true", "operator"),
    ("make check", "make check && true", "operator"),
    ("make check", "make check || true", "operator"),
    ("make a && make b", "make a ; make b", "another operator"),
    ("make a && make b", "make a '&&' make b", "quoted operator"),
    ("echo a;b", 'echo "a;b"', "quoted operator"),
    ("npm test", "npm test | tee log", "operator"),
    ("npm test", "npm test > /dev/null", "redirection"),
    ("npm test > a/log", "npm test > b/log", "a file is no program"),
    ("npm test", "npm test &", "operator"),
    ("make &> log", "make & > log", "operator"),
    ("echo 2>f", "echo 2 >f", "the number of a redirection"),
    ("echo 2>f", 'echo "2">f', "the number of a redirection"),
    ("npm test", "FOO=1 npm test", "assignment"),
    ("X=/a/b cmd", "X=/c/b cmd", "a value is no folder"),
    ("X=1 cmd", "'X=1' cmd", "a quoted assignment is a program"),
    ("npm test", "sh -c 'npm test'", "wrapper"),
    ("npm test", "env npm test", "wrapper"),
    ("sudo python a.py", "sudo python3 a.py", "the program is sudo"),
    ("npm test", "$(echo npm) test", "substitution"),
    ("npm test", "`npm test`", "substitution"),
    ("npm test", "$(true)/npm test", "a folder that runs something"),
    ("npm test", "$HOME/bin/npm test", "a folder that expands"),
    ("echo $(a 'b')", "echo $(a b)", "substitutions are compared as written"),
    ('echo "$(a)"', 'echo "$(b)"', "substitution in quotes"),
    ("echo '$X'", "echo $X", "expansion"),
    ("echo '$X'", 'echo "$X"', "expansion in quotes"),
    ("echo $X", 'echo "$X"', "a bare expansion splits words"),
    ("echo '${X}'", 'echo "${X}"', "expansion in quotes"),
    ("ls '*.py'", "ls *.py", "file names"),
    ("ls '{a,b}'", "ls {a,b}", "braces"),
    ("ls '~'", "ls ~", "home"),
    ("/usr/bin/np? test", "np? test", "the folder of file names"),
    ("npm test", "npm test # comment", "comment"),
    ("echo '#b'", "echo #b", "comment"),
    ("! npm test", "'!' npm test", "reserved word"),
    ("else", "'else'", "reserved word"),
    ("case a/b in x) y;; esac", "case b in x) y;; esac", "loops and branches as written"),
    ("for x in 'a'; do y; done", "for x in a; do y; done", "loops and branches as written"),
    ("a=(x/b)", "a=(b)", "an array"),
    ("cat <<'E'", "cat <<E", "here-document"),
    ("diff <(a 'b')", "diff <(a b)", "process substitution"),
    ("npm test", 'npm "test', "unclosed quote"),
    ("npm test", "npm test \\", "nothing to escape"),
    ("pytest -q", "python -m pytest -q", "other program"),
    ("python a.py", "pythonista a.py", "no version"),
    ("python a.py", "python3. a.py", "no version"),
    ("php a.php", "php8.3-fpm a.php", "no version"),
    ("python a.py", "python3-config a.py", "no version"),
    ("make a.py", "make3 a.py", "no runtime"),
    ("/usr/bin/", "bin", "no name after the folder"),
    ("npm test", "npm\u00a0test", "a no-break space is not white space"),
    ("npm test", "npm te\u200bst", "zero width"),
    ("npm 'test'", "npm test\x00", "NUL"),
    ("echo 'a\nb'", "echo 'a\\\nb'", "no joined line in single quotes"),
    ("echo 2>f", "echo 2>>f", "another redirection of the same number"),
    ("echo 2<f", "echo 2 <f", "the number of a redirection"),
    ('echo "$(a b c d)" e', "echo \"$(a b c d)\" 'e'", "substitutions are compared as written"),
    ('echo "x${a}yz" e', "echo \"x${a}yz\" 'e'", "expansions in braces are compared as written"),
    ("X(a 'b')", "X(a b)", "a function or a pattern as written"),
    ('echo "`a`" b', "echo \"`a`\" 'b'", "substitutions are compared as written"),
    ('echo "$(a)" b', "echo \"$(a)\" 'b'", "substitutions are compared as written"),
    ('echo "${a}" b', "echo \"${a}\" 'b'", "expansions in braces are compared as written"),
    ("echo ${X} a", "echo ${X} 'a'", "expansions in braces are compared as written"),
    ("echo 'a$X'", 'echo "a$X"', "expansion in quotes"),
    ("echo $'a'", "echo 'a'", "quotes of another kind"),
    ('echo $"a"', 'echo "a"', "quotes of another kind"),
    ("X=~/a cmd", "X='~/a' cmd", "home in an assignment"),
    ("/usr/bin/", "''", "no name after the folder"),
    (". x", "/bin/. x", "no name after the folder"),
    ("..", "a/..", "no name after the folder"),
    ("npm ''", "npm", "an empty word"),
    ("npm '' test", "npm test", "an empty word"),
    ("npm test # a", "npm test # b", "another comment"),
    ("pip install x", "pip3 install x", "a tool is no runtime"),
    ("python a.py", "Python3 a.py", "case"),
    ("python a.py", "python-3 a.py", "no version"),
    ("python a.py", "python3.11m a.py", "no version"),
    ("run python", "run python3", "an argument has no version"),
    ("run a/b", "run b", "an argument has no folder"),
    ("npm test", "C:\\bin\\npm test", "a backslash quotes"),
    ("npm test", "\u201cnpm\u201d test", "typographic quotes are characters"),
    ("npm test", "NPM test", "case"),
    ("npm test", "npm test;", "operator"),
    ("(npm test)", "npm test", "a subshell"),
    ("{ npm test; }", "npm test;", "a group"),
    ("time npm test", "npm test", "reserved word"),
]


@pytest.mark.parametrize(("criterion", "reported", "why"), SAME)
def test_it_takes_the_same_command(criterion: str, reported: str, why: str) -> None:
    assert commands_match(criterion, reported), why
    assert commands_match(reported, criterion), why


@pytest.mark.parametrize(("criterion", "reported", "why"), DIFFERENT)
def test_it_tells_another_command(criterion: str, reported: str, why: str) -> None:
    assert not commands_match(criterion, reported), why
    assert not commands_match(reported, criterion), why


LONGER = ["&&", "<<", "$X", "$(", "\\\n", "npm", "/usr/bin/", "python", "3.1", "case", "do", "a"]
PIECES = st.lists(
    st.sampled_from([*" \t\n'\"\\$`{}*~#!=;&|<>()2\0\u00a0\ud800", *LONGER]), max_size=12
).map("".join)


@given(PIECES, PIECES)
def test_it_is_reflexive_and_symmetric_and_never_raises(first: str, second: str) -> None:
    assert commands_match(first, first)
    assert commands_match(first, second) == commands_match(second, first)


@given(st.lists(st.text(st.characters(exclude_characters="\0 \t\r\n"), min_size=1), min_size=1))
def test_it_knows_words_however_they_are_quoted(words: list[str]) -> None:
    single = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    escaped = " ".join("".join("\\" + char for char in word) for word in words)
    assert commands_match(single, escaped)
    # shlex leaves reserved words and assignments bare, which is the same only for an argument.
    assert commands_match("run " + single, shlex.join(["run", *words]))


@given(PIECES)
def test_it_does_not_miss_an_added_command(command: str) -> None:
    """Unless a comment or an open quote swallows it, and then the command differs as text."""
    assert not commands_match(command, command + " ; true")


def test_it_compares_the_very_long_by_white_space_alone() -> None:
    long = "echo " + "a " * LONGEST
    assert commands_match(long, long.replace(" ", "\n"))
    assert not commands_match(long, long.replace("echo", "'echo'"))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("a b", " a\t\r\n b ", True),
        ("https://status.example.com/", "https://status.example.com/\n", True),
        ("https://status.example.com/", "https://status.example.com", False),
        ("a b", "ab", False),
        ("a\u00a0b", "a b", False),
        ("'a'", "a", False),
        ("", "  ", True),
    ],
)
def test_it_compares_patterns_and_urls_by_white_space_alone(
    first: str, second: str, same: bool
) -> None:
    assert texts_match(first, second) is same
    assert texts_match(second, first) is same
