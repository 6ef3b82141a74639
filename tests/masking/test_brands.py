"""Tokens of more vendors, typed declarations, and values that begin or end oddly."""

import json
import random

import pytest

from stuckbot.lib.masking import REDACTED, mask_text, mask_value
from tests.masking.corpus.making import fill

BRANDS = [
    "pul-⟨hex:40⟩",
    "NRAK-⟨ALNUM:27⟩",
    "sntrys_⟨b64:90⟩",
    "glc_⟨b64:60⟩",
    "⟨hex:32⟩-us9",
    "xkeysib-⟨hex:64⟩-⟨b62:16⟩",
    "ATATT3xFfGF0⟨b64u:170⟩=⟨hex:8⟩",
    "ATBB⟨b62:32⟩",
    "CCIPAT_⟨b62:22⟩_⟨hex:40⟩",
    "fm2_⟨b64:300⟩",
    "HRKU-⟨b64u:58⟩",
    "CLOJARS_⟨hex:60⟩",
    "rubygems_⟨hex:48⟩",
    "dckr_pat_⟨b64u:27⟩",
    "pat⟨b62:14⟩.⟨hex:64⟩",
    "1/⟨digits:16⟩:⟨hex:32⟩",
    "PMAK-⟨hex:24⟩-⟨hex:34⟩",
    "AAAA⟨b64u:7⟩:APA91b⟨b64u:134⟩",
    "figd_⟨b64u:40⟩",
    "pscale_tkn_⟨b64u:43⟩",
]


@pytest.mark.parametrize("shape", BRANDS)
def test_it_knows_the_tokens_of_vendors(shape: str) -> None:
    rng = random.Random(shape)
    for _ in range(20):
        token = fill(rng, shape)
        if token.endswith(("-", "_", ".", "=")):
            continue
        assert mask_text(f"it said {token} was bad").text == f"it said {REDACTED} was bad"


@pytest.mark.parametrize(
    "text",
    [
        "chunk_⟨hex:40⟩",
        "BUILD-⟨hex:40⟩",
        "commit-⟨hex:40⟩",
        "snapshot-⟨hex:40⟩",
        "⟨hex:32⟩-us",
        "checkpoints_⟨hex:40⟩",
        "1/⟨digits:16⟩",
    ],
)
def test_it_keeps_the_names_of_builds(text: str) -> None:
    made = f"uploading {fill(random.Random(3), text)} now"
    assert mask_text(made).text == made


@pytest.mark.parametrize(
    "text",
    [
        "password: str = '{}'",
        'password: Optional[str] = "{}"',
        "api_key: str | None = '{}'",
        "const apiKey: string = '{}';",
        "let token: &str = \"{}\";",
        "let token: &'static str = \"{}\";",
        'let secret: String = String::from("{}");',
        'val password: String? = "{}"',
        'var token string = "{}"',
        'char password[] = "{}";',
        "curl -u 'admin:{}' https://example.com",
        'curl -u "admin:{}" https://example.com',
        "mysqldump -p{} shop > shop.sql",
        "http -a admin:{} GET example.com",
        "Password for root: {}",
        "my token is {}",
        "https://example.com/x?token={}#top",
        "otpauth://totp/Acme:ana?secret={}&issuer=Acme",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", ["Hunter2xYz81qB", "qW8rT2yU6iO4pA"])
def test_it_masks_the_value_and_no_more(text: str, value: str) -> None:
    assert mask_text(text.format(value)).text == text.format(REDACTED)


@pytest.mark.parametrize("value", ["D?ZW*,cr9Kt};.j6eW5", "(D#f~pO@sIf Z5]O!1nj", "a{b}c|d8"])
def test_what_quotes_hold_is_masked_to_the_quote(value: str) -> None:
    assert mask_text(f"curl -u 'ci:{value}' x").text == f"curl -u 'ci:{REDACTED}' x"


@pytest.mark.parametrize("command", ["mysql -p{} shop", "http -a ci:{} x", "curl -u ci:{} x"])
def test_a_password_may_begin_like_a_flag(command: str) -> None:
    assert mask_text(command.format("-Ev+Zwq*B")).text == command.format(REDACTED)


@pytest.mark.parametrize("command", ["mongosh -p --host db", "run --password --verbose now"])
def test_a_flag_after_a_flag_is_no_password(command: str) -> None:
    assert mask_text(command).text == command


def test_the_short_end_of_a_key_that_was_cut_off_goes_too() -> None:
    line = fill(random.Random(4), "⟨b64:64⟩")
    text = f"key is -----BEGIN EC PRIVATE KEY-----\n{line}\nOy773yL8\nGET /health 200"
    assert mask_text(text).text == f"key is {REDACTED}\n\n\nGET /health 200"


@pytest.mark.parametrize("name", ["apiKey", "x-api-key", "API_KEY", "apikey"])
@pytest.mark.parametrize("value", ["horse", "i.u", "x", "two words"])
def test_whatever_stands_under_an_api_key_is_one(name: str, value: str) -> None:
    assert mask_value({name: value}).value == {name: REDACTED}
    assert json.loads(mask_text(json.dumps({name: value})).text) == {name: REDACTED}


def test_pass_is_a_password_beside_a_user() -> None:
    value = {"auth": {"User": "ci", "pass": "hunter2"}, "tests": {"pass": 12, "fail": 1}}
    assert mask_value(value).value["auth"] == {"User": "ci", "pass": REDACTED}
    assert mask_value(value).value["tests"] == value["tests"]
    assert mask_value({"pass": "all of them"}).value == {"pass": "all of them"}


@pytest.mark.parametrize(
    "shape",
    [
        "⟨digits:10⟩:AA⟨b64u:33⟩",
        "hvs.⟨b64u:90⟩",
        "⟨b62:14⟩.atlasv1.⟨b64u:64⟩",
        "whsec_⟨b64:32⟩",
        "ya29.⟨b64u:60⟩",
        "xoxb-⟨digits:12⟩-⟨digits:12⟩-⟨b62:24⟩",
        "xapp-1-A⟨ALNUM:10⟩-⟨digits:13⟩-⟨hex:64⟩",
        "sbk_⟨b62:61⟩",
        "ghp_⟨b62:36⟩",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n    ", "\\\n"])
def test_a_token_of_known_length_goes_with_both_its_halves(shape: str, gap: str) -> None:
    rng = random.Random(shape + gap)
    for _ in range(30):
        token = fill(rng, shape)
        at = rng.randint(2, len(token) - 2)
        masked = mask_text(f"the token {token[:at]}{gap}{token[at:]} is bad").text
        assert _has_no_piece(masked, token[:at], token[at:])
    lines = [f"the token {token[:at]}", f"{token[at:]} is bad"]
    assert _has_no_piece(str(mask_value(lines).value), token[:at], token[at:])


@pytest.mark.parametrize(
    ("before", "shape", "behind"),
    [
        ("AccountName=acme;AccountKey=", "⟨b64:86⟩==", ";EndpointSuffix=core.windows.net"),
        ("aws_secret_access_key = ", "⟨b64:40⟩", ""),
        ('"SecretAccessKey": "', "⟨b64:40⟩", '"'),
        ("auth_token = ", "⟨hex:32⟩", ""),
    ],
)
def test_a_named_value_of_known_length_too(before: str, shape: str, behind: str) -> None:
    rng = random.Random(shape)
    for _ in range(30):
        value = fill(rng, shape)
        at = rng.randint(2, len(value) - 3)
        masked = mask_text(f"{before}{value[:at]}\n{value[at:]}{behind}").text
        assert _has_no_piece(masked, value[:at], value[at:])
        assert masked.startswith(before)
        assert masked.endswith(behind)


def _has_no_piece(text: str, *halves: str) -> bool:
    """None of eight characters."""
    pieces = (half[at : at + 8] for half in halves for at in range(len(half) - 7))
    return not any(piece in text for piece in pieces)
