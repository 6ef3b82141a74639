"""Addresses: where a password in one begins and ends, and which of their parts let one in."""

import random

import pytest

from stuckbot.lib.masking import REDACTED, mask_text
from stuckbot.lib.masking.urls import url_secrets
from tests.masking.corpus.making import fill
from tests.masking.rules import marked_by, plain, spans

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


TOKEN = "aB3dE5fG7hI9jK1mN2pQ"
HEX = "0123456789abcdef" * 2
UUID = "0f8fad5b-d9cd-4a69-a1b2-0f8fad5bd9cd"

#: What the rule for addresses finds by itself: ‹so›.
MARKED = {
    "url_password": rf"""
https://ci:‹hunter2›@h.example.com/x
x https://ci:‹h@nter2›@h.example.com/x https://ci:‹b:c›@h
https://ci:‹hun/ter2›@h.example.com
https://ci:80/ter2@h.example.com
https://ci:‹123456›@h.example.com
https://ci:‹80›@h
https://h.example.com:80/x@y
https://h.example.com:8080
https://h.example.com:80,h2:80/x@y
https://user:‹hunter2›@h
https://user:password@h, https://ci:‹hunter2›@h
https://user:secret@h
https://ci:‹password›@h
https://ci:<password>@h
https://ci:@h https://ci:‹x›@h
https://ci:‹os.environ›@h
https://ci:‹a://b:c›@h https://ci:‹hunter2›@h
https://ci:‹{"x/" * 99}x›@h
https://ci:‹{"x9" * 150}›@h
https://ci:{"x/" * 100}@h
https://‹{TOKEN}›@h https://‹{TOKEN}›@i
https://‹{TOKEN}›:@h
https://a-very-long-user-name-it-is@h
https://{TOKEN[:19]}@h
https://‹{"a1" * 12}›@h
https://{"a1" * 11}@h
://‹{TOKEN}›@h
""",
    "url_parameter": rf"""
https://x/?sig=‹{TOKEN[:8]}›
https://x/?sig={TOKEN[:7]}&hmac=‹{TOKEN}›
https://x/?auth=‹{TOKEN[:8]}›
https://x/?my_sig=‹{TOKEN[:8]}›
https://x/?X-Signature=‹{TOKEN[:8]}›
https://x/?SIGNATURE=‹{TOKEN[:8]}›
https://x/?CODE=‹{TOKEN}›
https://x/?code=‹{TOKEN}›
https://x/?code={TOKEN[:19]}
https://x/?code=abcdefghijklmnopqrstuv
https://x/?ticket=‹{TOKEN}›#top
https://x/?session=‹{TOKEN}›
https://x/?assertion=‹{TOKEN}›
https://x/?mykey=‹{TOKEN[:8]}›
https://x/?page_token=hunter2
https://x/?token=‹hunter2›;b=1
https://x/?token=xxxx&token=‹hunter2›
https://x/?token=os.environ
https://x/?access_key=‹hunter2›
https://x/?user=hunter2&pin=hunter2
""",
    "webhook_token": rf"""
https://x/hooks/‹{TOKEN[:16]}›
https://x/hooks/{TOKEN[:15]}/a
https://x/hooks/{TOKEN[:8]}/{TOKEN[:7]}/a
https://x/hooks/‹{HEX}›/y
https://x/hooks/‹{TOKEN}›?a=b
https://x/hooks/‹{UUID}›
https://x/hooks/{HEX[:31].replace("a", "b")}
https://x/hooks/‹{"1" * 32}›
https://x/hooks/{"1" * 31}
https://x/hooks/{"1" * 15}-{"1" * 15}
https://x/hooks/‹{"1" * 15}-{"1" * 16}›
https://x/hooks/{"g" * 32}
https://x/hooks/all-the-words-in-one
https://{TOKEN}/hooks/‹{TOKEN}›
https://x/‹{TOKEN}›/hooks/‹{TOKEN}›/b@‹{TOKEN}›
https://x/hooks/[REDACTED]{TOKEN}
""",
}


@pytest.mark.parametrize(
    ("kind", "marked"),
    [(kind, row) for kind, rows in MARKED.items() for row in rows.strip().splitlines()],
)
def test_what_is_marked_goes_and_nothing_else(kind: str, marked: str) -> None:
    assert marked_by(url_secrets, plain(marked)) == marked
    assert {span.kind for span in spans(url_secrets, plain(marked))} <= {kind}


def test_a_parameter_keeps_its_name() -> None:
    (found,) = spans(url_secrets, "https://x/?page=2&access_token=hunter2")
    assert found.name == "access_token"
