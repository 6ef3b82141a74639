"""Each shape of token by itself: what it is called, where it ends, and what is no token."""

import random
from collections.abc import Iterator

import pytest
import re2

from stuckbot.lib.masking import REDACTED, mask_text
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.spans import Span, merged
from stuckbot.lib.masking.tokens import Kind, fixed, kind_of, pattern, tokens
from tests.masking.corpus.making import fill
from tests.masking.rules import marked_by, plain, spans

SHAPES = [
    *[("aws_access_key", f"{prefix}⟨b32:16⟩") for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")],
    *[("github_token", f"gh{letter}_⟨b62:36⟩") for letter in "oprsu"],
    ("github_token", "github_pat_⟨b62:22⟩_⟨b62:59⟩"),
    ("slack_token", "xoxb-⟨digits:12⟩-⟨digits:13⟩-⟨b62:24⟩"),
    ("slack_token", "xapp-1-A⟨ALNUM:10⟩-⟨digits:13⟩-⟨hex:64⟩"),
    *[
        ("stripe_key", f"{who}_{where}_⟨b62:24⟩")
        for who in ("sk", "rk")
        for where in ("live", "test")
    ],
    ("signing_secret", "whsec_⟨b64:32⟩"),
    ("anthropic_key", "sk-ant-api03-⟨b64u:93⟩AA"),
    ("ai_key", "sk-proj-⟨b62:48⟩"),
    ("ai_key", "gsk_⟨b62:52⟩"),
    ("google_api_key", "AIza⟨b62:35⟩"),
    ("google_secret", "GOCSPX-⟨b62:28⟩"),
    ("google_token", "ya29.⟨b62:60⟩"),
    ("npm_token", "npm_⟨b62:36⟩"),
    ("package_index_token", "pypi-AgEIcHlwaS5vcmc⟨b62:140⟩"),
    ("gitlab_token", "glpat-⟨b62:20⟩"),
    ("sendgrid_key", "SG.⟨b62:22⟩.⟨b62:43⟩"),
    ("hugging_face_token", "hf_⟨letters:34⟩"),
    ("hugging_face_token", "api_org_⟨letters:34⟩"),
    *[("stuckbot_token", f"sb{letter}_⟨b62:43⟩") for letter in "aekp"],
    *[("digitalocean_token", f"do{letter}_v1_⟨hex:64⟩") for letter in "opr"],
    ("databricks_token", "dapi⟨hex:32⟩"),
    ("linear_key", "lin_api_⟨b62:40⟩"),
    ("linear_key", "lin_oauth_⟨b62:40⟩"),
    ("twilio_key", "SK⟨hex:32⟩"),
    ("telegram_token", "⟨digits:9⟩:AA⟨b62:33⟩"),
    *[("vault_token", f"hv{letter}.⟨b62:90⟩") for letter in "bsr"],
    ("terraform_token", "⟨b62:14⟩.atlasv1.⟨b62:64⟩"),
    ("age_key", "AGE-SECRET-KEY-1⟨ALNUM:58⟩"),
    ("web_token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.⟨b62:43⟩"),
    ("web_token", "eyJlbmMiOiJBMjU2R0NNIn0.⟨b62:30⟩.⟨b62:16⟩.⟨b62:40⟩.⟨b62:22⟩"),
    *[
        ("password_hash", f"${name}$10$⟨b62:53⟩")
        for name in ("2a", "2b", "2y", "5", "6", "y", "apr1", "argon2i", "argon2id")
    ],
]


def value_of(shape: str, seed: int = 7) -> str:
    return fill(random.Random(seed), shape)


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
@pytest.mark.parametrize("frame", ["{}", "see {} in the log", "a\n({})\nb", "x='{}';", "[{} 1]"])
def test_it_finds_each_shape(kind: str, shape: str, frame: str) -> None:
    value = value_of(shape)
    masked = mask_text(frame.format(value), "here")
    assert masked.text == frame.format(REDACTED)
    assert [(each.where, each.kind) for each in masked.findings] == [("here", kind)]


@pytest.mark.parametrize("shape", ["ghs_⟨b62:120⟩", "glpat-⟨b62:27⟩.01.⟨b62:9⟩"])
def test_it_finds_the_longer_ones_whole(shape: str) -> None:
    value = value_of(shape)
    assert mask_text(f"see {value} there").text == f"see {REDACTED} there"


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
def test_a_preview_shows_neither_start_nor_middle(kind: str, shape: str) -> None:
    value = value_of(shape)
    (finding,) = mask_text(value).findings
    assert "…" in finding.preview
    body = value[len(finding.preview.partition("…")[0]) :]
    assert body[:5] not in finding.preview
    assert len(finding.preview.partition("…")[2]) <= 4


SPLIT = [
    (kind, shape)
    for kind, shape in SHAPES
    if kind
    in {
        "aws_access_key",
        "anthropic_key",
        "google_api_key",
        "google_secret",
        "npm_token",
        "sendgrid_key",
        "digitalocean_token",
        "databricks_token",
        "linear_key",
        "twilio_key",
        "age_key",
    }
]


@pytest.mark.parametrize(("kind", "shape"), SPLIT)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\n    "])
def test_it_finds_what_a_line_break_goes_through(kind: str, shape: str, line_break: str) -> None:
    value = value_of(shape)
    for place in (len(value) // 2, len(value) - 6):
        text = f"a {value[:place]}{line_break}{value[place:]} b"
        masked = mask_text(text)
        assert masked.text == f"a {REDACTED}{line_break}{REDACTED} b"
        assert {each.kind for each in masked.findings} == {"token"}


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "sk-your-key-here",
        "xoxb-...",
        "sk-learn-contrib-something-useful",
        "pk_live_51H8ZkQ2eZvKYlo2C0aB3dE4f",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 4f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b",
        "0190f8a0-7c1e-7000-8000-0123456789ab",
        "msg_01XFDUDYJgAACzvnptvVoYEL",
        "req_4f0c9a1e2b3d4c5f",
        "com.example.service.internal.ConnectionPoolManager",
        "eyJhIjoxfQ.e30.",
        "glossary-of-terms-and-conditions-2024",
        "npm_config_registry_override_for_this_project",
    ],
)
def test_it_leaves_what_only_looks_like_a_token(text: str) -> None:
    assert mask_text(f"see {text} there").text == f"see {text} there"


@pytest.mark.parametrize("glued", ["a{}", "{}_b", "{}9"])
def test_a_token_is_no_part_of_a_longer_word(glued: str) -> None:
    text = glued.format(value_of("AKIA⟨b32:16⟩"))
    assert "aws_access_key" not in {each.kind for each in mask_text(text).findings}


def test_a_hashed_password_begins_by_its_own_sign() -> None:
    hashed = value_of("$6$⟨b62:16⟩$⟨b62:86⟩")
    key = value_of("AKIA⟨b32:16⟩")
    assert mask_text(f"user:x{hashed}").text == f"user:x{REDACTED}"
    once = mask_text(f"AWS_ACCESS_KEY_ID={key}{hashed}").text
    assert once == mask_text(once).text
    assert hashed not in once


RUN = "aB3dE5fG7hI9jK1mN2pQ4rS6tU8v"
HEX = "0123456789abcdef" * 2
UUID = "0f8fad5b-d9cd-4a69-a1b2-0f8fad5bd9cd"
LOWER = "a3b7c9d1e5f8g2h6j4k0m3n7"
DOTTED = f"{RUN[:16]}.{RUN[:5]}.{RUN[:20]}"
KEY = "AKIA" + "Q3EGRXZ5WKT2VYLM"

MARKED = rf"""
‹xoxb-123456789012-{RUN[:24]}›.
‹xoxb-123456789012-{RUN[:24]}›,
bot‹123456789:AA{RUN}aB3dE›
‹123456789:AA{RUN}aB3dE›
‹{DOTTED}›
{DOTTED[1:]}
{RUN[:16]}.{RUN[:4]}.{RUN[:20]}
{RUN[:16]}.{RUN[:5]}.{RUN[:19]}
{RUN[:16]}.example.{RUN[:20]}
abcdefghijklmnopqrst.abcdef.abcdefghijklmnopqrst
\n‹{DOTTED}›
\n‹acme_{RUN}›
\r‹acme_{RUN}›
‹nacme_{RUN}› \
\‹Xacme_{RUN}›
‹acme_{RUN}›-
‹acme_{RUN}›._
‹acme_{RUN[:-1]}X›
‹acme_zz_{RUN}›
acme_________________________
--acme_{RUN}
acme_{RUN}example
‹acme_{LOWER}›
acme_{LOWER[:-1]}
acme_{"a" * 23}1
‹acme_{LOWER.upper()}›
‹acme_a-b-c-{RUN}›
aCme_{RUN}
‹Acme1_{RUN}›
‹acme_tool_abc_{RUN}›
acme_tool_name_more_{RUN}
acme_{"0123456789abcdefghjkmnpqrs"}
acme_01{LOWER}
‹acme_0a{LOWER}›
‹acme_tool_key_{HEX}›
acme_tool_kit_{HEX}
key_{HEX[:-1]}
‹key_{HEX}›
‹key_tool_{HEX[:20]}_{HEX}›
‹acme_tool_{HEX}_{RUN[:16]}›
acme_tool_{HEX}_{RUN[:15]}
acme_tool_{HEX}_abcdefghijklmnopqrst
‹acme-{RUN[:16]}-{RUN[:11]}›
acme-{RUN[:16]}-{RUN[:10]}
acme-{RUN[:15]}-{RUN[:15]}
‹acme-{RUN[:16]}-{UUID[:8]}-abcd-ef-{UUID[:3]}›
sha256-{RUN}
pk_live_{RUN}
Pk_live_{RUN}
‹token-{UUID}›
‹ABC-{HEX}›
AB-{HEX}
‹acmeacme_{HEX}›
acmeacmea_{HEX}
acme-{HEX}
acme_{RUN[:-1]}
etag: acme_{RUN}
etag: W/"acme_{RUN}"
x: ‹acme_{RUN}›
id=acme_{RUN}
request_id=acme_{RUN}
etag {":":>34} acme_{RUN}
etag {":":>35} ‹acme_{RUN}›
etag:       acme_{RUN}
etag:        ‹acme_{RUN}›
‹eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NSJ9›.
‹eyJlbmMiOiJBMTI4R0NNIn0.eyJzdWIiOiIxMjM0NSJ9›.
eyJzdWIiOiIxMjM0NSJ9.eyJzdWIiOiIxMjM0NSJ9.
eyJhbGciOiJub25lIn0AA.eyJzdWIiOiIxMjM0NSJ9.
‹sk-{RUN[:20]}›
sk-{RUN[:19]}
sk-abcdefghijklmnopqrst
‹glpat-{RUN[:20]}›
‹glpat-aaaaaaaaaaaaaaaaaa1b›
glpat-abcdefghijklmnopqrst
glossary-of-terms-and-things-2024
npm_{RUN}aaaaEXAMPLE1
‹npm_{RUN}aB3dE5fG›
-‹npm_{RUN}aB3dE5fG›
‹npm_{RUN}aB3dE5fG›-
acme-{UUID}
‹acme-tok-{UUID}›
acme-token-of-{UUID[:-1]}
‹{KEY}›
- x{KEY}
{KEY}x
_{KEY}
‹{KEY[:-1]}X›
--acme_{RUN} ‹acme_{RUN}›
acme_tool_name_{RUN}
‹acme_{RUN[:16]}_{HEX}›
""".strip().splitlines()


def once(text: bytes, meter: Meter) -> Iterator[Span]:
    """What shapes and prefixes tell alike is one."""
    yield from merged(tokens(text, meter))


@pytest.mark.parametrize("marked", MARKED)
def test_a_token_is_told_by_its_shape_alone(marked: str) -> None:
    assert marked_by(once, plain(marked)) == marked
    assert {span.kind for span in spans(once, plain(marked))} <= {"token"}


def test_a_token_of_no_vendor_is_called_a_token() -> None:
    assert kind_of(f"acme_{RUN}".encode()) == "token"


def test_a_kind_of_one_length_is_known_by_its_shape_when_broken() -> None:
    assert fixed("acme_key", "acme_[a-z]{20}") == Kind("acme_key", *["acme_[a-z]{20}"] * 2)


@pytest.mark.parametrize(
    ("shape", "any_case", "text", "found"),
    [
        ("key", False, b"a key, a KEY", [b"key"]),
        ("key", True, b"a key, a KEY", [b"key", b"KEY"]),
        ("k.", False, "ké".encode(), [b"k\xc3"]),
    ],
)
def test_a_shape_reads_bytes(shape: str, any_case: bool, text: bytes, found: list[bytes]) -> None:
    assert pattern(shape, any_case=any_case).findall(text) == found


def test_a_shape_knows_case_unless_it_is_told_otherwise() -> None:
    assert pattern("key").search(b"KEY") is None


def test_a_shape_that_is_none_is_told_by_an_error_alone(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(re2.error):
        pattern("(")
    assert capfd.readouterr() == ("", "")
