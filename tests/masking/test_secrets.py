"""Whether a value under a telling name is a secret, by how much the name tells."""

import pytest

from stuckbot.lib.masking.keys import KEYED, SILENT, STRONG, WEAK
from stuckbot.lib.masking.values import is_in_words, is_secret, is_shown, is_variable

MIXED = "aB3dE5fG7hI9jK1mN2pQ"
EACH = (SILENT, WEAK, KEYED, STRONG)

#: What it takes, at least, for these to be secrets where quotes stand around them.
QUOTED = [
    (WEAK, MIXED),
    (WEAK, "Y2k6aHVudGVyMg=="),
    (WEAK, f"a-{MIXED}"),
    (KEYED, MIXED[:19]),
    (KEYED, "a1"),
    (KEYED, "hunter-2"),
    (KEYED, f"{MIXED[:12]} {MIXED[12:]}x"),
    (KEYED, "aB3dE5fG7hI-jK1mN2pQr4S"),
    (KEYED, "abcdefghijkl1234567890"),
    (KEYED, f"your-{MIXED}"),
    (KEYED, "hunter-example-2"),
    (KEYED, "hunter2example"),
    (STRONG, "hunter"),
    (STRONG, "correct horse"),
    (STRONG, "access_token"),
    (STRONG, "os.environ"),
    (STRONG, "required"),
]
NEVER = [
    *("••••", "……………", "####", "....", "????", "____", "====", "----"),
    *("<token 2>", "[token 2]", "{{token 2}}", "(token_2)", "sk-your-key-here"),
    *("change_me", "replace-this", "insert it", "enter-your-token", "put-here", "add with care"),
    *("put_in", "example-key", "dummy-key", "fake-key", "sample-key", "placeholder-key"),
    *(
        "redacted-key",
        "${TOKEN-2}",
        "${TOKEN_2}/x",
        "${TOKEN-2",
        "$(get -2)",
        "{{ get-2",
        "%{get-2",
    ),
    *("#{get-2", "{a.token}", "%(token)s", "%s", "@token@", ":token"),
    *("$TOKEN_2", "$token_name", "$tokenName", "$1", "$$TOKEN"),
    *("ref+vault://a/b2", "op://a/b2", "awssm://a/b2", "gcpsm://a/b2", "secretsmanager://a/b2"),
    *("ssm://a/b2", "env://A2", "file:///a/b2", "keyvault://a/b2"),
    *("vault:a/b2", "env:A2", "file:a/b2", "fd:2", "ssm:a/b2", "secretsmanager:a/b2"),
    *("sha256-a2", "sha-1:a2", "md5:a2", "uuid:a2", "urn:a2", "arn:aws:iam::1:role/a"),
    *("projects/2/secrets/a", "ENC[a2]", "@Microsoft.KeyVault(a2)"),
    *("~/a/b2", "~/a2", "./a/b2", "../a2", "./a2", "~/.a/b2/"),
    "",
    "null",
    "REDACTED",
    "[REDACTED]",
    f"{MIXED}[REDACTED]",
    "xxxx",
    "****",
    "<your-password>",
    "your-api-key",
    "changeme",
    "${TOKEN}",
    "$TOKEN",
    "%TOKEN%",
    "vault:secret/token",
    "/run/secrets/token",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
]
#: Blotted out by hand or a vendor's own: no secrets where a name only may tell.
SHOWN = [
    f"{MIXED}XXXXX",
    f"{MIXED}...",
    f"{MIXED}-here",
    f"{MIXED}***",
    f"{MIXED}a000000000000",
    f"{MIXED}dummy",
    f"your-{MIXED}",
]
#: Without quotes, these may also be words and code.
BARE = [
    (STRONG, "hunter"),
    (STRONG, "session"),
    (STRONG, "cookie_of_mine"),
    (KEYED, "hunter2"),
]
NEVER_BARE = [
    "required",
    "access_token",
    "OPENAI_API_KEY",
    "settings.API_KEY",
    *("req.headers.auth", "req->auth", "req::auth", "req?.auth", "req!.auth", "req.auth;"),
    *("_req_ed.my_auth", "await", "new", "return", "lambda", "async", "typeof", "if", "func"),
    *("function", "def", "let", "const", "str[5]", "string[5]", "Optional[str5]", "list<A5>"),
    *("dict[A5]", "bytes[5]", "Promise<A5>", "Array<A5>", "Map<A5>", "Union[A5]"),
    "`hunter2`",
]


def least(value: str, **how: bool) -> int | None:
    """The least of all strengths under which the value is a secret."""
    held = [strength for strength in EACH if is_secret(strength, value.encode(), **how)]
    assert held == list(EACH[len(EACH) - len(held) :])
    return held[0] if held else None


@pytest.mark.parametrize(("strength", "value"), QUOTED)
def test_in_quotes_it_is_a_secret_from_here_on(strength: int, value: str) -> None:
    assert least(value, quoted=True) == strength


@pytest.mark.parametrize("value", SHOWN)
def test_what_is_shown_is_none_where_the_name_may_tell(value: str) -> None:
    assert least(value, quoted=True) == KEYED
    assert not is_shown(MIXED.encode())


@pytest.mark.parametrize(("strength", "value"), BARE)
def test_without_quotes_it_is_one_from_here_on(strength: int, value: str) -> None:
    assert least(value) == strength


@pytest.mark.parametrize("value", NEVER)
def test_it_is_never_one(value: str) -> None:
    assert least(value) is None
    assert least(value, quoted=True) is None


@pytest.mark.parametrize("value", NEVER_BARE)
def test_without_quotes_it_is_none(value: str) -> None:
    assert least(value) is None


@pytest.mark.parametrize(
    ("value", "in_words"),
    [("correct-horse", True), ("access_token", True), ("hunter2", False), ("", False)],
)
def test_words_may_stand_for_themselves(value: str, in_words: bool) -> None:
    assert is_in_words(value.encode()) is in_words


@pytest.mark.parametrize(
    ("value", "variable"),
    [
        ("MAX_SIZE", True),
        ("new_token", True),
        ("newToken", True),
        ("SecretField", True),
        ("token", False),
        ("Token", False),
        ("new-token", False),
        ("newToken2", False),
    ],
)
def test_code_gives_such_names(value: str, variable: bool) -> None:
    assert is_variable(value.encode()) is variable
