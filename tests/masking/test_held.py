"""Whether what stands under a telling name is a secret."""

import base64

import pytest

from stuckbot.lib.masking.keys import KEYED, SILENT, STRONG, WEAK
from stuckbot.lib.masking.values import (
    is_in_words,
    is_secret,
    is_shown,
    is_stand_in,
    is_variable,
)

MIXED = b"aB3dE5fG7hI9jK1mN2pQ"
USER = base64.b64encode(b"ci:hunter2")

STAND_INS = b"""
    xxx XXXX **** .... ____ ==== ---- ??? ### \xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2
    \xe2\x80\xa6\xe2\x80\xa6\xe2\x80\xa6 <password> <your-password> [secret] {token} (none) {{x}}
    your-api-key sk-your-key-here my_your_token changeme change-me change_this replaceme
    replace_with_x insert-here put_your enter_your add-your example example_key dummy-x fake_token
    sample placeholder redacted-x ${X} ${X:-y} $(cat_x) {{vault_x %{x} #{x} {a_b.c} %path%
    %(x)s %(x) %s %d %r %v @token@ :token $TOKEN $$TOKEN $token_x $accessToken $1 vault://a/b
    op://a/b ssm:/a env:X file:/x ref+vault://x/y fd:3 sha256:abc sha-256-abc md5:x uuid:x urn:x
    arn:aws:x projects/a/secrets/b enc[x] @microsoft.keyvault(x) /run/secrets/x ~/.ssh/id
    ./secret ../x/y /etc/x
""".split()
SECRETS = b"""
    hunter2 xx ** $ecret1! <a a> Tr0ub4dor&3 p@ss vault sha256 arn /x $aB3 %x:token: my$(x) x${y}
    %% 12345678 file- op://1$ {a-b! ex-ample1 changer9
""".split()
#: Stand-ins only without quotes around them.
BARE = b"""
    true false required password token key the n/a tbd os.environ settings.DB_PASSWORD req->headers
    a::b this.x?.y await new return lambda str[x] Optional[str] `x` #x access_token API_KEY
    dbPassword client_secret self.token, login permission authentication
""".split()


@pytest.mark.parametrize("value", STAND_INS)
@pytest.mark.parametrize("quoted", [True, False])
def test_these_stand_where_a_secret_would(value: bytes, quoted: bool) -> None:
    assert is_stand_in(value, quoted)
    assert not is_secret(STRONG, value, quoted)


@pytest.mark.parametrize("value", SECRETS)
@pytest.mark.parametrize("quoted", [True, False])
def test_these_are_secrets(value: bytes, quoted: bool) -> None:
    assert not is_stand_in(value, quoted)
    assert is_secret(STRONG, value, quoted)


@pytest.mark.parametrize("value", BARE)
def test_these_are_code_where_no_quotes_stand_around_them(value: bytes) -> None:
    assert is_stand_in(value)
    assert not is_secret(STRONG, value)
    assert is_secret(STRONG, value, True)


@pytest.mark.parametrize("value", [b"null", b"None", b"nil", b"undefined", b"hidden", b"string"])
def test_these_are_blanks_even_in_quotes(value: bytes) -> None:
    assert is_stand_in(value, True)


def test_what_was_masked_is_no_secret() -> None:
    assert is_stand_in(b"a[REDACTED]b", True)


def test_what_is_very_long_is_no_stand_in() -> None:
    assert is_stand_in(b"x" * 200, True)
    assert not is_stand_in(b"x" * 201, True)


@pytest.mark.parametrize(
    ("strength", "value", "quoted", "secret"),
    [
        (SILENT, MIXED, True, False),
        (STRONG, b"", True, False),
        (STRONG, b"hunter", True, True),
        (STRONG, b"correct horse", True, True),
        (STRONG, b"AKIAEXAMPLE1", True, False),
        (STRONG, b"an-EXAMPLE-1", True, False),
        (KEYED, b"hunter", True, False),
        (KEYED, b"correct-horse-battery", True, False),
        (KEYED, b"Some words here.", True, False),
        (KEYED, b"hunter2", True, True),
        (KEYED, b"ab$", True, True),
        (KEYED, b"12345", True, True),
        (KEYED, b"EXAMPLE12345", True, False),
        (WEAK, b"hunter2", True, False),
        (WEAK, b"12345678", True, False),
        (WEAK, MIXED, True, True),
        (WEAK, MIXED[:-1], True, False),
        (WEAK, b"x" + MIXED, False, True),
        (WEAK, MIXED[:12] + b"-" + MIXED[:7], True, True),
        (WEAK, MIXED[:11] + b"-" + MIXED[:11], True, False),
        (WEAK, MIXED + b" " + MIXED, True, False),
        (WEAK, MIXED + b"EXAMPLE", True, False),
        (WEAK, MIXED + b"xxxxx", True, False),
        (WEAK, b"a" * 40 + b"1" + b"B", True, False),
        (WEAK, USER, True, True),
        (WEAK, b"<" + MIXED + b">", True, False),
        (WEAK, MIXED * 10 + b" ", True, True),
    ],
)
def test_how_much_a_name_says_decides(
    strength: int, value: bytes, quoted: bool, secret: bool
) -> None:
    assert is_secret(strength, value, quoted) is secret


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"AKIAEXAMPLE", True), (b"a-example-b", True), (b"kXXXXXk", True), (b"kxxxxk", False),
        (b"abc...", True), (b"abc..", False), (b"your-key", True), (b"your_key", True),
        (b"key-here", True), (b"key_here", True), (b"here-key", False), (b"a***b", True),
        (b"a**b", False), (b"0" * 12, True), (b"0" * 11, False), (b"dummy1", True), (b"", False),
    ],
)  # fmt: skip
def test_what_vendors_show(value: bytes, shown: bool) -> None:
    assert is_shown(value) is shown


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"correct-horse", True), (b"access_token", True), (b"Some words.", True), (b"a/b:c", True),
        (b"what?", True), (b"a1", False), (b"ABC", False), (b"a  b", False), (b"", False),
    ],
)  # fmt: skip
def test_what_is_written_in_words(value: bytes, words: bool) -> None:
    assert is_in_words(value) is words


@pytest.mark.parametrize(
    ("value", "variable"),
    [
        (b"MAX_SIZE", True), (b"new_token", True), (b"newToken", True), (b"SecretField", True),
        (b"_private_x", True), (b"MAX", False), (b"token", False), (b"Token", False),
        (b"a1_b", False), (b"MAX_size", False), (b"", False),
    ],
)  # fmt: skip
def test_what_code_calls_a_variable(value: bytes, variable: bool) -> None:
    assert is_variable(value) is variable
