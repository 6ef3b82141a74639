"""Addresses: where a password in one begins and ends, and which of their parts let one in."""

import random

import pytest

from stuckbot.lib.masking import REDACTED, mask_text
from tests.masking.corpus.making import fill

MIXED = fill(random.Random(4), "⟨b62:24⟩")
SIGNED = "aB3dE5fG7h"


def found(text: str) -> tuple[str, set[str]]:
    masked = mask_text(text)
    return masked.text, {each.kind for each in masked.findings}


@pytest.mark.parametrize("password", ["hunter2", "s3cr3t", "p:w", "a@b", "Tr0ub4dor&3", "ünïcode9"])
@pytest.mark.parametrize(
    "before", ["postgres://ci:", "x https://a.b-c:", "redis://:", "amqp+ssl://c%40d:"]
)
@pytest.mark.parametrize(
    "after", ["@db", "@db:5432/x", "@10.0.0.1/0?a=b", "@db.example.com and on", "@h\nb@c"]
)
def test_a_password_ends_at_the_last_at_sign_before_the_path(
    password: str, before: str, after: str
) -> None:
    text, kinds = found(f"{before}{password}{after}")
    assert text == f"{before}{REDACTED}{after}"
    assert kinds == {"url_password"}


@pytest.mark.parametrize("password", ["a/b9x", "q?9xy"])
def test_a_password_may_hold_a_slash_that_was_not_encoded(password: str) -> None:
    text, _ = found(f"postgres://ci:{password}@db.example.com/x")
    assert password.split("/")[0] + "/" not in text or "/" not in password
    assert "db.example.com/x" in text


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com:8443/",
        "https://example.com:8443/a@b",
        "http://localhost:3000 and me@example.com",
        "https://[::1]:80/x",
        "redis://cache:6379/0",
        "https://example.com/a:b@c",
        "https://user:password@host",
        "https://username:pass@host",
        "https://ci:${PASSWORD}@host",
        "https://ci:<password>@host",
        "https://ci:***@host",
        "https://ci:@host",
        "https://ci@host/x",
        "git@github.com:a/b.git",
        "mailto:a@b.example",
        "https://example.com/?page=2&q=token",
        "https://example.com/?token=",
        "https://example.com/?sort_key=created_at&key=name",
        "https://example.com/?sig=short&code=404",
        "https://example.com/hooks/deploy-to-production-now",
    ],
)
def test_it_leaves_addresses_that_let_nobody_in(text: str) -> None:
    assert found(text) == (text, set())


@pytest.mark.parametrize("name", ["sig", "signature", "X-Amz-Signature", "session", "auth", "code"])
def test_a_parameter_of_a_weak_name_is_masked_when_it_looks_drawn(name: str) -> None:
    address = f"https://example.com/x?a=1&{name}="
    text, _ = found(f"{address}{MIXED}&b=2")
    assert text == f"{address}{REDACTED}&b=2"
    assert found(f"{address}in-plain-words&b=2")[0] == f"{address}in-plain-words&b=2"


@pytest.mark.parametrize("name", ["sig", "signature", "X-Amz-Signature", "apiauth"])
def test_a_signature_may_be_short(name: str) -> None:
    assert REDACTED in found(f"https://example.com/x?{name}={SIGNED}")[0]


@pytest.mark.parametrize("name", ["code", "ticket"])
def test_a_code_may_not(name: str) -> None:
    text = f"https://example.com/x?{name}={SIGNED}"
    assert found(text)[0] == text


@pytest.mark.parametrize("name", ["password", "access_token", "client_secret"])
def test_a_parameter_of_a_strong_name_is_masked_whatever_it_holds(name: str) -> None:
    text, _ = found(f"https://example.com/x?{name}=hunter2&b=2")
    assert text == f"https://example.com/x?{name}={REDACTED}&b=2"


@pytest.mark.parametrize(
    "path", ["webhook", "hooks/x", "webhooks/catch", "hook-in", "api/key", "v1/incoming"]
)
@pytest.mark.parametrize("shape", ["⟨b62:16⟩", "⟨b62:40⟩", "⟨hex:32⟩"])
def test_the_secret_part_of_a_hook_is_masked(path: str, shape: str) -> None:
    value = fill(random.Random(2), shape)
    text, kinds = found(f"post https://example.com/{path}/{value} now")
    assert value not in text
    assert text.startswith("post https://example.com/")
    assert text.endswith(" now")
    assert kinds


def test_a_hook_keeps_what_is_no_secret_in_it() -> None:
    text, kinds = found(f"https://hooks.example.com/services/team-a/{MIXED}")
    assert text == f"https://hooks.example.com/services/team-a/{REDACTED}"
    assert kinds <= {"webhook_token", "token"}


def test_a_user_alone_may_be_a_token() -> None:
    for after in ("@git.example.com/a", "@git.example.com:8443/a"):
        text, _ = found(f"https://{MIXED}{after}")
        assert text == f"https://{REDACTED}{after}"
