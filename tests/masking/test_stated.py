"""Each rule for names and values with no sign between them, by itself."""

import pytest

from stuckbot.lib.masking.engine import Rule
from stuckbot.lib.masking.stated import paired, piped, said, stated
from tests.masking.rules import marked_by, plain, spans

#: 20 characters that look drawn at random: no shorter token is one without a word more.
MIXED = "aB3dE5fG7hI9jK1mN2pQ"
HEX = "0123456789abcdef" * 2

PAIRED = [
    *[
        (f"{key}: API_TOKEN, {value}: ‹hunter2›", "API_TOKEN")
        for key in ("name", "key", "id", "variable", "property")
        for value in ("value", "default")
    ],
    *[(f'<a {key}="api.token">‹hunter2›</a>', "api.token") for key in ("name", "key", "id")],
    *[
        (f'{begin}_token("‹hunter22›")', f"{begin}_token")
        for begin in ("set", "with", "add", "use")
    ],
    *[
        (f'x.{word}_token("‹hunter22›")', f"{word}_token")
        for word in (
            *("api", "access", "secret", "private", "auth", "account", "user", "db", "client"),
            *("bearer", "sas"),
        )
    ],
    *[
        (f'x.{name}("‹{MIXED}›")', name)
        for name in ("password", "passwd", "passphrase", "pwd", "secret", "token", "key")
    ],
    # Two entries: of all names there the most telling one is the value's.
    ("name: DB_PASSWORD, value: ‹hunter2›", "DB_PASSWORD"),
    ('"key": "api_token", "value": "‹hunter2›"', "api_token"),
    ("id: api_key; value: ‹hunter2›", "api_key"),
    ('variable "db_password" { default = "‹hunter2›" }', "db_password"),
    # Two arguments, which may both be names.
    ('define("DB_PASSWORD", "‹hunter22›")', "DB_PASSWORD"),
    ("define('DB_PASSWORD', '‹hunter22›')", "DB_PASSWORD"),
    ('set("access_token", "‹2024_First_step›")', "access_token"),
    # A type between name and value.
    ('var token string = "‹hunter2›"', "token"),
    ('char db_password[] = "‹hunter2›"', "password"),
    ('char password[32] = "‹Some words›"', "password"),
    # Elements of settings.
    ('<entry key="db.password">‹hunter2›</entry>', "db.password"),
    ("<key>Password</key><string>‹hunter2›</string>", "Password"),
    ('<entry key="api.token">‹two words›</entry>', "api.token"),
    ('<entry key="access.key">‹two words 2›</entry>', "access.key"),
    ('<entry key="api.token">‹os.environ›</entry>', "api.token"),
    # Calls that set a secret of eight characters or more.
    ('x.setPassword("‹hunter22›")', "setPassword"),
    ('x.set_api_key("‹hunter22›")', "set_api_key"),
    ('x.apiKey( "‹hunter22›")', "apiKey"),
    ('x.token("‹hunter22›")', "token"),
]
NOT_PAIRED = [
    "name: DB_PASSWORD, value: two words",
    "name: DB_PASSWORD, value: null",
    "name: DB_PASSWORD, value: ",
    "name: token_count, value: hunter2",
    "name: DB_PASSWORD, value: ${X}",
    "name: DB_PASSWORD, value: $(hunter2)",
    "name: DB_PASSWORD, value: {{ hunter2 }}",
    'variable "token_count" { default = "hunter2" }',
    'define("DB_PASSWORD", hunter22)',
    'define("DB_PASSWORD", "Some words")',
    'define("DB_PASSWORD", "hunter2")',
    'set("access_token", "2024_first_step")',
    "var token string = hunter22",
    '<entry key="token_count">hunter2</entry>',
    '<entry key="api.token"></entry>',
    '<entry key="access.key">two words</entry>',
    'x.setPassword("hunter2")',
    "x.setPassword(hunter22)",
]

STATED = [
    *[
        (f"{command} API_TOKEN ‹hunter2›", "API_TOKEN")
        for command in (
            *("ENV", "ARG", "setenv", "setx", "set -g", "config:set", "config set"),
            *("configure set", "secret set", "secrets set", "variable set"),
        )
    ],
    *[
        (f"{name} ‹hunter›", name)
        for name in (
            *("dbpass", "db_password", "db_passwd", "db_passphrase", "rootpw", "db_pwd"),
            *("db_secret", "db_token", "access_key", "masterauth"),
        )
    ],
    *[
        (f"WITH {word} '‹hunter2›'", "password")
        for word in ("identified by", "password", "password =", "passwd", "passphrase", "secret")
    ],
    *[(f':{name} "‹hunter2›"', "password") for name in ("password", "secret", "token", "api-key")],
    *[
        (f'{name}("ci", "‹hunter2›")', "password")
        for name in ("auth", "login", "credential", "credentials", "authenticate")
    ],
    ("ENV DB_PASSWORD ‹hunter2›", "DB_PASSWORD"),
    ("ENV  TOKEN\t‹hunter2›", "TOKEN"),
    ("setx API_TOKEN ‹hunter2›", "API_TOKEN"),
    ("set -gx API_TOKEN ‹hunter2›", "API_TOKEN"),
    ('setenv API_TOKEN "‹hunter2›"', "API_TOKEN"),
    ("login ci password ‹hunter2›", "password"),
    ("host:5432:shop:ci:‹hunter2›", "password"),
    ("host:*:shop:ci:‹hunter2›", "password"),
    (':password "‹hunter2›"', "password"),
    ('(api-key "‹hunter2›")', "password"),
    ('auth=("ci", "‹hunter2›")', "password"),
    ("login('ci', '‹hunter2›')", "password"),
    ("IDENTIFIED BY '‹hunter2›'", "password"),
    ("IDENTIFIED WITH sha2 BY N'‹hunter2›'", "password"),
    ("WITH PASSWORD '‹hunter2›'", "password"),
    ("passwd('‹hunter2›')", "password"),
    # A setting on a line of its own, whatever its value; a word as in a sentence, by its value.
    ("requirepass ‹hunter›", "requirepass"),
    ("\t requirepass  '‹hunter›'", "requirepass"),
    ('requirepass "‹hunter›" ;', "requirepass"),
    ("bindpw ‹hunter›;", "bindpw"),
    ("bindpw ‹hunterX›", "bindpw"),
    ("bindpw ‹Xhunter›", "bindpw"),
    ("bindpw ‹hunter›\n# no hunter", "bindpw"),
    ("db_token ‹hunter›", "db_token"),
    ("signing_key ‹hunter›", "signing_key"),
    ("Password ‹hunter2›", "Password"),
    ("token ‹hUnTeRsOnLyHuNtE›", "token"),
    ("hunter_token ‹hunter›", "hunter_token"),
    # All that quotes hold is no line: the name alone does not tell.
    ('"requirepass ‹hunter2›"', "requirepass"),
    ('"requirepass ‹hunter2›", so', "requirepass"),
    ('"X_TOKEN ‹hunter2›"', "X_TOKEN"),
    ('"requirepass ‹hUnTeRsOnLyH›"', "requirepass"),
    ('"secret ‹hUnTeRsOnLyHuNtE›"', "secret"),
]
NOT_STATED = [
    "ENV TOKEN_COUNT hunter2",
    "login ci password null",
    "host:5432:shop:ci:",
    ":password hunter2",
    'auth=("ci", hunter2)',
    "IDENTIFIED BY ''",
    "requirepass required",
    "requirepass hunte",
    "requirepass requirepass",
    "acme_key hunter",
    "Password hunter",
    *[f"{word} hunter" for word in ("password", "passphrase", "secret", "token")],
    "token hUnTeRsOnLyHuNt",
    '"requirepass hunter"',
    '"requirepass hUnTeRsOnLy"',
    '"secret hUnTeRsOnLyHuNt"',
    '"secret ${HUNTER_2}"',
]

SAID = [
    *[
        (f"{word} ‹{MIXED}› refused", word)
        for word in (
            *("token", "secret", "password", "passphrase", "passcode", "credential", "bearer"),
            *("jwt", "pat", "tokens"),
        )
    ],
    *[
        (f"the password {word} ‹hunter2›", "password")
        for word in ("is", "was", "of", "to", "provided", "used", "set", "value", "now", "for ci:")
    ],
    (f"token ‹{MIXED}› refused", "token"),
    (f"Token: ‹{MIXED}›, refused", "token"),
    (f"Token '‹{MIXED}›' refused.", "token"),
    (f"tokens ‹{MIXED}›.", "tokens"),
    (f"token ‹{MIXED}X›.", "token"),
    (f"?token={MIXED} and token ‹{MIXED}›", "token"),
    (f"?a token ‹{MIXED}›", "token"),
    (f"token ‹{MIXED}=›", "token"),
    (f"token ‹{MIXED}==›", "token"),
    (f"token ‹x/{MIXED}›", "token"),
    # Hexadecimal is a digest of a commit below 32 digits.
    (f"secret ‹{HEX}› refused", "secret"),
    # Of two classes alone, a run of 20 without a sign.
    ("jwt ‹ab3de5fg7hi9jk1mn2pq› refused", "jwt"),
    # What stands behind an @ is a host, if a token stands before it.
    (f"pat ‹{MIXED}›@host", "pat"),
    (f"pat ‹{MIXED}›@a@b", "pat"),
    (f"pat ‹{MIXED[:19]}@host›", "pat"),
    # `key` is a word as others are.
    (f"key ‹{MIXED}{MIXED[:8]}› refused", "key"),
    (f"keys ‹{MIXED}{MIXED[:8]}› refused", "keys"),
    (f"api key ‹{MIXED}› refused", "key"),
    (f"signing-key ‹{MIXED}› refused", "key"),
    (f"api token ‹{HEX}› refused", "token"),
    # Said outright, shorter ones tell.
    (f"the token is ‹{MIXED[:12]}› now", "token"),
    (f"the secret used: ‹{MIXED[:12]}›", "secret"),
    (f"token for ci@host: ‹{MIXED[:12]}›", "token"),
    ("the token is ‹aB3.dEfG7.hI9› now", "token"),
    # Passwords are shorter, and may be words with a number.
    ("the password is ‹hunter2› now", "password"),
    ("Passphrase of ‹hunter2›", "passphrase"),
    ("the password is ‹hunter-the-2nd› now", "password"),
    ("password ‹hunter22› refused", "password"),
    ("passcode ‹hunter22› refused", "passcode"),
]
NOT_SAID = [
    f"token {MIXED[:19]} refused",
    f"?token={MIXED}",
    f"x?a=b&token={MIXED}",
    f"token a=b{MIXED}",
    f"token {MIXED}=X",
    f"token /{MIXED}",
    "token xxxxxxxxxxxxxxxxxxxxxxxx",
    f"secret {HEX[:31]} refused",
    "jwt ab3de5fg7h-i9jk1mn2pq refused",
    "jwt abcdefghijklmnopqrstuv12 refused",
    f"key {MIXED}{MIXED[:7]} refused",
    f"key {HEX} refused",
    f"primary key {MIXED} refused",
    f"apis key {MIXED} refused",
    f"api  key {MIXED} refused",
    f"{'b' * 30}api key {MIXED} refused",
    f"the token {MIXED[:12]} now",
    f"the token is {MIXED[:11]} now",
    f"the key is {MIXED[:12]} now",
    "the token is abcdefgh123456 now",
    "the token is aB3/dE5fG7hI9 now",
    "the token is aB3_dE5fG7hI9 now",
    "the token is aB3dE5.1fG7hI9 now",
    "the token is aB3dE5fG7hI9.yaml now",
    "the password is hunter now",
    "the secret is hunter2 now",
    "password hunter2 refused",
    "password abcdef12 refused",
    "password a/hunter22 refused",
    "password a_hunter22 refused",
]

PIPED = [
    *[
        (f"echo ‹hunter2› | {program} ci", "password")
        for program in (
            *("tool --password-stdin", "gpg --passphrase-fd 0", "gh --with-token"),
            *("tool --stdin", "chpasswd", "passwd", "sudo -S"),
        )
    ],
    ("echo ‹hunter2› | docker login --password-stdin", "password"),
    ('echo -n "‹hunter2›" | sudo -S ls', "password"),
    ("printf '%s' ‹hunter2› | passwd --stdin ci", "password"),
    ("printf %s '‹hunter2›' | gh auth login --with-token", "password"),
    ("run echo ‹hunter2› | chpasswd", "password"),
]
NOT_PIPED = [
    "echo ${HUNTER} | docker login --password-stdin",
    "echo $(hunter2) | docker login --password-stdin",
    "echo {{ hunter2 }} | docker login --password-stdin",
    "echo $HUNTER | docker login --password-stdin",
    "echo hunter2 | grep x",
]
#: Of a JSON Web Key the members that are private, from 16 characters on.
WEB_KEYS = [
    *[
        f'{{"kty": "RSA", "{member}": "‹abcdefghijklmnop›"}}'
        for member in ("d", "p", "q", "dp", "dq", "qi", "k")
    ],
    '{"kty": "oct", "k": "‹abcdefghijklmnop›"}',
    '{"kty": "RSA", "d": "‹abcdefghijklmnop›", "n": "abcdefghijklmnop"}',
    r'{\"kty\": \"oct\", "k\": \"‹abcdefghijklmnop›\"}',
    r'{kty\": \"oct\", "k": "‹abcdefghijklmnop›"}',
    '{"kty": "oct", "k": "abcdefghijklmno"}',
    '{"type": "oct", "k": "abcdefghijklmnop"}',
    '{"kty": "oct", "k": ""}',
]

FOUND = [
    (rule, marked, name)
    for rule, rows in ((paired, PAIRED), (stated, STATED), (said, SAID), (piped, PIPED))
    for marked, name in rows
]
STAYS = [
    (rule, text)
    for rule, texts in (
        (paired, NOT_PAIRED),
        (stated, NOT_STATED),
        (said, NOT_SAID),
        (piped, NOT_PIPED),
    )
    for text in texts
]
AROUND = [("", ""), ("first line\n", "\nlast line")]


@pytest.mark.parametrize(("before", "after"), AROUND)
@pytest.mark.parametrize(("rule", "marked", "name"), FOUND)
def test_it_finds_what_is_stated(
    rule: Rule, marked: str, name: str, before: str, after: str
) -> None:
    text = before + plain(marked) + after
    assert marked_by(rule, text) == before + marked + after
    assert [(span.name, span.kind) for span in spans(rule, text)] == [(name, "named_secret")]


@pytest.mark.parametrize(("before", "after"), AROUND)
@pytest.mark.parametrize(("rule", "text"), STAYS)
def test_it_finds_nothing_else(rule: Rule, text: str, before: str, after: str) -> None:
    assert not spans(rule, before + text + after)


@pytest.mark.parametrize("marked", WEB_KEYS)
def test_it_finds_private_web_keys(marked: str) -> None:
    text = plain(marked)
    assert marked_by(piped, text) == marked
    assert {(span.name, span.kind) for span in spans(piped, text)} <= {("", "private_key")}
