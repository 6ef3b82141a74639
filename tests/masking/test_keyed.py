"""The rule for values assigned to a telling name, by itself."""

import pytest

from stuckbot.lib.masking.keyed import keyed
from tests.masking.rules import marked_by, plain, spans

#: 20 characters that look drawn at random, which a name that may tell asks for.
MIXED = "aB3dE5fG7hI9jK1mN2pQ"
HEX = "0123456789abcdef" * 2

FOUND = [
    *[
        (f"{name}=‹{MIXED}›", name)
        for name in (
            *("dbpass", "rootpw", "pswd", "psk", "secret", "token", "access_key", "auth", "creds"),
            *("sig", "session", "sid", "pat", "jwt", "bearer", "csrf", "xsrf", "mnemonic"),
        )
    ],
    *[
        (f"token: {scheme} ‹{MIXED}›", "token")
        for scheme in (
            *("Bearer", "basic", "token", "Digest", "ApiKey", "Api-Key", "key", "Negotiate"),
            "AWS4-HMAC-SHA256",
        )
    ],
    *[
        (f'password: {wrapper}("‹hunter2›")', "password")
        for wrapper in (
            *("&", "Some", "Ok", "Secret", "SecretStr", "SecretString", "String", "String::from"),
            *("Password", "new", "bytes", "Secret::new", "Secret.new"),
        )
    ],
    ('password: bytes = b"‹hunter2›"', "password"),
    ('password: String = String::from("‹hunter2›")', "password"),
    ("email: ci@h, pass: ‹hunter2›", "pass"),
    ("user => ci, pass => ‹hunter2›", "pass"),
    ("password=‹hunter2›", "password"),
    ("DB_PASSWORD: ‹hunter2› # in use", "DB_PASSWORD"),
    ("password := ‹hunter2›", "password"),
    ("'password' => '‹hunter2›'", "password"),
    ("PASSWORD=‹hunter2› x", "PASSWORD"),
    ('"password": "‹abc›"', "password"),
    ('\\"password\\": \\"‹hunter2›\\"', "password"),
    ('os.environ["DB_PASSWORD"] = "‹hunter2›"', "DB_PASSWORD"),
    ("x.y-z.password=‹hunter2›", "x.y-z.password"),
    ("a$password=‹hunter2›", "a$password"),
    (f"{'a' * 80}password=‹hunter2›", f"{'a' * 80}password"),
    (f"{'b' * 20}{'a' * 80}password=‹hunter2›", f"{'a' * 80}password"),
    ("pwd=‹abc1›", "pwd"),
    ("tokens: a token: ‹hunter2›", "token"),
    ("x _password=‹hunter2›", "_password"),
    # What is left out, or inside another value, ends nothing.
    ('password="‹a token=hunter2›" password=‹hunter3›', "password"),
    ("?token=hunter2 token=‹hunter3›", "token"),
    ("token_count=hunter2 token=‹hunter3›", "token"),
    # However long it is.
    (f"password=‹{'ab1' * 200}›", "password"),
    (f"access_key=‹{'ab1' * 200}›", "access_key"),
    # A name before an address, and in one.
    ("?password: ‹hunter2›", "password"),
    (":// token: ‹hunter2›", "token"),
    ("/token: ‹hunter2›", "token"),
    # Qualified by what stands before.
    (f"API key: ‹{MIXED[:10]}›", "key"),
    (f"the Signing KEY: ‹{MIXED[:10]}›", "KEY"),
    ("login: ci pass: ‹hunter2›", "pass"),
    ("username=ci, PASS=‹hunter2›", "PASS"),
    (f"user: {'x' * 70}, pass: ‹hunter2›", "pass"),
    # All texts and numbers of an object or a list go, names stay.
    ('"password": {"a": "‹x1›", "b": ["‹y›", ‹5›]}', "password"),
    ('"access_key": ["‹x 1›"]', "access_key"),
    (r"\"password\": {\"a\": \"‹x1›\"}", "password"),
    (r'"password\"": {"a": "‹x1›"}', "password"),
    # Numbers go where they are JSON.
    ('"password": ‹12›', "password"),
    ('"access_key": ‹12345678›', "access_key"),
    ("password: ‹1234›", "password"),
    # Elements.
    ("<password>‹hunter2›</password>", "password"),
    ("<ns:password>‹hunter2›</ns:password>", "password"),
    ("<password><![CDATA[‹hunter2›]]></password>", "password"),
    ("<token>‹os.environ›</token>", "token"),
    # What may stand before the value.
    (f"token: Bearer ‹{MIXED}›", "token"),
    (f'"token": "Bearer ‹{MIXED}›"', "token"),
    ("password: |\n  ‹hunter2›\n", "password"),
    ("password: >-\n  ‹hunter2›\n", "password"),
    ('password: Some("‹hunter2›")', "password"),
    ('password: SecretStr("‹hunter2›")', "password"),
    ('password = new("‹hunter2›")', "password"),
    ('password: str = "‹hunter2›"', "password"),
    ('token: &\'static str = "‹hunter2›"', "token"),
    ('token: Optional[str] = "‹hunter2›"', "token"),
    (f'token: ‹{MIXED}=›"x"', "token"),
    # Names that may be those of a secret: what looks drawn.
    (f"key=‹{MIXED}›", "key"),
    (f'credentials: "‹{MIXED}›"', "credentials"),
    (f"auth: ‹{MIXED}{'-' * 300}›", "auth"),
    (f"ACME_KEY=‹{MIXED[:16]}›", "ACME_KEY"),
    (f"ACME_KEY=‹{HEX}›", "ACME_KEY"),
    ('ACME_KEY="‹aBc.dEf.gHi.jKl.mNo›"', "ACME_KEY"),
    # A word for its own name is none, unless it is short or says more.
    ('PROVIDER_TOKEN = "‹rtok›"', "PROVIDER_TOKEN"),
    ('PROVIDER_TOKEN = "‹r_to›"', "PROVIDER_TOKEN"),
    ('PROVIDER_TOKEN = "‹r_tokens›"', "PROVIDER_TOKEN"),
    ('TOKEN = "‹my_token›"', "TOKEN"),
    # Words are values where nobody would write a sentence.
    ("password: ‹correct›", "password"),
    ("password=‹hunter›", "password"),
    ("password = ‹hunter›", "password"),
    ("token = ‹newTokenX›", "token"),
    ("PASSWORD = ‹hunter›", "PASSWORD"),
    ("token=‹hunter›", "token"),
    ("token: ‹hunter_two›", "token"),
    ("password: ‹1hunter›(x)", "password"),
    ("password: ‹hun-ter›(x)", "password"),
    (f"token = ‹{MIXED[:10]}.{MIXED[10:]}›", "token"),
    ("token: ‹Hunter2!› x", "token"),
    ('["password"]: ‹hunter2›', "password"),
    ("password:‹hunter›", "password"),
]
STAYS = [
    *[
        f"password: !{tag} hunter2"
        for tag in (
            *("vault", "Ref", "Sub", "GetAtt", "ImportValue", "env", "secret", "reference"),
            "Join",
        )
    ],
    *[
        f'"password": {{"type": "{kind}", "a": "x1"}}'
        for kind in (
            *("string", "object", "integer", "number", "array", "boolean", "apiKey", "http"),
            "oauth2",
        )
    ],
    "password: HUNTER two",
    "password=abc",
    "pwd=abc",
    "password=",
    "password: ",
    "password",
    "max_tokens: 4096",
    "token_count=hunter2",
    "author: hunter2",
    "monkey.x = hunter2",
    f"{'a' * 81} key-password hunter2",
    # The rules for addresses know where these end.
    "?password=hunter2",
    "&b=2&pwd=hunter2",
    "x://token:hunter2",
    "oauth://hunter2",
    "token://hunter2",
    # Not qualified.
    f"my key: {MIXED[:10]}",
    f"api keys: {MIXED[:10]}",
    f"api  key: {MIXED[:10]}",
    "boarding pass: hunter2",
    "login: ci pat: hunter2",
    f"user: {'x' * 80}, pass: hunter2",
    # Objects that describe a value, and those under names that may tell.
    '"session": {"a": "x1"}',
    '"password": {"type": "string", "a": "x1"}',
    '"password": {"$ref": "x1"}',
    "password: {hunter2}",
    "'password': {'a': 'hunter2'}",
    "password=[hunter2]",
    # Numbers are values in JSON alone.
    '"session": 12345678',
    '"key": 123456789012345678901234',
    "password: 12",
    '"password" = 12',
    # No elements.
    "password>hunter2</password>",
    "<password></password>",
    "a password>hunter2</password>",
    # References and code.
    "password: !vault x",
    "password: ${HUNTER}",
    "password: $(hunter2)",
    "password: #{x}",
    "password: {{ hunter2 }}",
    "password: <%= x %>",
    "password = get_password()",
    "password = secrets[0]",
    "password: hunter2(",
    "password: hunter[0]",
    "token = os.environ",
    "token = newPassword",
    "token = newPassword.",
    "token = MAX_SIZE",
    "token = hunter",
    "token: MAX_SIZE",
    "token: newToken",
    "token: NewToken,",
    "'token': hunter",
    "password: the one",
    "password: Hunter. Then",
    "token: none (yet)",
    "token: hunter, (yet)",
    # Not drawn, or not long enough.
    f"key: {MIXED[:19]}",
    f"ACME_KEY={MIXED[:15]}",
    f"ACME_KEY={HEX[:31]}",
    f"acme_key={MIXED[:16]}",
    f"ACME_KEYS={MIXED[:16]}",
    f'ACME_KEY="<{MIXED[:16]}>"',
    "ACME_KEY=aBc.dEf.gHi.jKl.mNo",
    f"ACME_KEY=<{MIXED[:16]}>",
    # Names for the place where a secret will be.
    'PROVIDER_TOKEN = "provider_token"',
    'PROVIDER_TOKEN = "provider-token"',
    'PROVIDER-TOKEN = "r_tok"',
]


AROUND = [("", ""), ("first line\n", "\nlast line")]


@pytest.mark.parametrize(("before", "after"), AROUND)
@pytest.mark.parametrize(("marked", "name"), FOUND)
def test_it_finds_what_is_assigned(marked: str, name: str, before: str, after: str) -> None:
    text = before + plain(marked) + after
    assert marked_by(keyed, text) == before + marked + after
    assert {(span.name, span.kind) for span in spans(keyed, text)} == {(name, "named_secret")}


@pytest.mark.parametrize(("before", "after"), AROUND)
@pytest.mark.parametrize("text", STAYS)
def test_it_finds_nothing_else(text: str, before: str, after: str) -> None:
    assert not spans(keyed, before + text + after)


@pytest.mark.parametrize(
    ("text", "bare"),
    [('"password": 12', True), ('"password": "12"', False), ("pin_token=1234", False)],
)
def test_a_number_of_json_needs_quotes_once_it_is_masked(text: str, bare: bool) -> None:
    assert [span.bare for span in spans(keyed, text)] == [bare]
