"""What a package is warned of, what is refused for looking secret, and the dry run."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stuckbot.lib.models import Content, Event, Idempotency
from tests.support import Api, fresh_key, make_package
from tests.tickets.test_findings import SECRET, token
from tickets.packages.plainness import machine_trace
from tickets.packages.warnings import package_warnings

PLAIN = [
    "IPWalrus could not renew its certificate",
    "The image service build is missing Python and build tools.",
    "The build failure blocks testing on the test site.",
    "Another agent needs to add the missing build tools and rebuild.",
    "The page https://shop.example.com/a/list.html answers too slowly (24/7).",
    "The API and the PDF export have failed since 10:30 on 2026-03-01.",
    "Ask Dr. Smith to sign and/or send it - today.",
    "PLEASE DO NOT RESTART THE SERVER",
    "It costs about 5-10 % more; a well-known error.",
    'The error page says "Not found".',
    "We returned 20 orders to the warehouse.",
    "Version 3.11 is installed; v1.2.3-rc.1 is wanted.",
    "It waits for SB-12, SB-14 and SB-15.",
    "Exit 12 of the motorway is closed.",
    "Ring +49 30 123456-78, Mon-Fri 9:00-17:00.",
    "The TypeScript build stopped, as the Error report says.",
    "Le certificat n’a pas pu être renouvelé.",
    "証明書を更新できませんでした。",
]
JARGON = [
    ("ACME validation fails with HTTP 404", "a status code of the web"),
    ("npm ERR! code ELIFECYCLE", "lines of a log"),
    ("2026-03-01 12:00:00 could not connect", "lines of a log"),
    ("ERROR: relation does not exist", "lines of a log"),
    ("The job exited with 137.", "an exit code"),
    ("It stops with exit code one", "an exit code"),
    ("TypeError: x is undefined", "the name of an exception"),
    ("java.lang.NullPointerException", "the name of an exception"),
    ("The server answers ECONNREFUSED.", "the name of an exception"),
    ("It breaks:\n    at run (main.js)", "lines of a stack trace"),
    ('File "a.py", line 3', "lines of a stack trace"),
    ("See src/app/main.py:33 for it.", "a place in a file"),
    ("/etc/nginx/nginx.conf is wrong.", "a place in a file"),
    ("Run npm ci --force again.", "a command"),
    ("Unpack it with tar -xzf first.", "a command"),
    ("Call `make test`.", "a command"),
    ("make && make install", "a command"),
    ('It says {"error": "no"}.', "JSON"),
    ("The pointer is 0xdeadbeef.", "bytes in hexadecimal"),
    ("Since commit 4f2a9c1d8e3b77.", "bytes in hexadecimal"),
    ("Set DB_HOST, DB_USER and DB_NAME.", "several abbreviations"),
    ("The OCSP of the CA lacks the SCT and the AIA.", "several abbreviations"),
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_words_are_plain(text: str) -> None:
    assert machine_trace(text) is None


@pytest.mark.parametrize(("text", "trace"), JARGON)
def test_it_names_what_only_a_machine_says(text: str, trace: str) -> None:
    assert machine_trace(text) == trace


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_it_takes_any_text(text: str) -> None:
    machine_trace(text)


@pytest.mark.parametrize("piece", ["a -", "Aa", "ab ", "/a.", "{ ", "[", "ERROR", "--a", "\n at "])
def test_it_is_quick_on_any_text(piece: str) -> None:
    text = (piece * 1_200)[:1_200]
    taken = []
    for _ in range(3):
        began = time.thread_time()
        machine_trace(text)
        taken.append(time.thread_time() - began)
    assert min(taken) < 0.1


def told(package: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in package_warnings(package)]


def test_it_warns_of_a_missing_summary() -> None:
    assert told(make_package()) == []
    assert told(make_package(human_summary=None)) == [("summary_missing", "human_summary")]


def test_it_warns_of_each_field_that_is_not_plain() -> None:
    summary = {
        "problem": "npm ERR! failed",
        "impact": "No tests.",
        "next_step": "Run npm ci --force.",
        "outcome": "exit code 0",
    }
    assert told(make_package(human_summary=summary)) == [
        ("summary_jargon", "human_summary.problem"),
        ("summary_jargon", "human_summary.next_step"),
        ("summary_jargon", "human_summary.outcome"),
    ]


def criterion(**fields: str) -> dict[str, str]:
    return {"description": "d", "method": "command", "expected": "0", "command": "make", **fields}


def test_it_warns_of_each_text_of_a_criterion_that_was_masked(stuck: Api) -> None:
    criteria = [
        criterion(command=f"deploy {SECRET}"),
        criterion(description=f"with {SECRET}", expected=f"not {SECRET}"),
        {**criterion(method="log_match", pattern=f"(unclosed {SECRET}"), "command": "x"},
    ]
    body = {"package": make_package(blocker_criteria=criteria)}
    answer = stuck.post("/api/v1/tickets", body).ok(201)
    found = [(one["code"], one["path"]) for one in answer["warnings"]]
    assert found == [
        ("criterion_masked", "package.blocker_criteria[0].command"),
        ("criterion_masked", "package.blocker_criteria[1].description"),
        ("criterion_masked", "package.blocker_criteria[1].expected"),
        ("criterion_masked", "package.blocker_criteria[2].pattern"),
        ("pattern_is_plain_text", "package.blocker_criteria[2].pattern"),
    ]
    for one in answer["warnings"]:
        assert set(one) == {"code", "path", "message"}
        assert one["message"].endswith(".")
        assert SECRET not in one["message"]


@pytest.mark.parametrize(
    ("url", "is_warned"),
    [
        ("https://status.example.com/healthz", False),
        ("http://status.example.com/healthz", True),
        ("https://status.example.com:8443/", True),
        ("https://10.0.0.8/", True),
        ("https://build-7/", True),
        (f"https://status.example.com/?token={SECRET}", False),  # told as masked
    ],
)
def test_it_warns_of_an_address_that_it_will_not_open(
    stuck: Api, url: str, is_warned: bool
) -> None:
    check = {"description": "d", "method": "external_check", "expected": "200", "url": url}
    body = {"package": make_package(blocker_criteria=[check])}
    answer = stuck.post("/api/v1/tickets", body).ok(201)
    place = "package.blocker_criteria[0].url"
    found = [(one["code"], one["path"]) for one in answer["warnings"]]
    assert (("url_not_opened", place) in found) is is_warned
    assert len(found) == (1 if is_warned or "token=" in url else 0)


def test_it_says_that_nobody_can_open_an_address_with_a_masked_part(stuck: Api) -> None:
    url = f"https://status.example.com/up?key={SECRET}"
    asked = {"description": "It answers", "method": "external_check", "expected": "200 OK"}
    body = {"package": make_package(blocker_criteria=[{**asked, "url": url}])}
    (told,) = stuck.post("/api/v1/tickets", body).ok(201)["warnings"]
    assert told["path"] == "package.blocker_criteria[0].url"
    assert told["message"].endswith("Give an address that needs no secret.")


def test_the_ticket_keeps_telling_until_it_is_mended(stuck: Api) -> None:
    body = {"package": make_package(human_summary=None)}
    answer = stuck.post("/api/v1/tickets", body).ok(201)
    shown = stuck.get("/api/v1/tickets/SB-1").ok()["ticket"]["warnings"]
    assert shown == answer["warnings"] == answer["ticket"]["warnings"]
    assert [one["code"] for one in shown] == ["summary_missing"]
    mended = stuck.post("/api/v1/tickets/SB-1/package", {"package": make_package()}).ok()
    assert mended["ticket"]["warnings"] == []
    assert stuck.get("/api/v1/tickets/SB-1").ok()["ticket"]["warnings"] == []


SECRET_WORDS: dict[str, Any] = {
    "labels": ["ci", SECRET],
    "required_skills": [token(2)],
    "blocker_criteria": [criterion(), criterion(key=token(3)[:40])],
}
WORD_PATHS = [
    "package.labels[1]",
    "package.required_skills[0]",
    "package.blocker_criteria[1].key",
]


def refused_words() -> dict[str, Any]:
    fields = ("labels", "required_skills", "blocker_criteria")
    return make_package(**{name: SECRET_WORDS[name] for name in fields})


def test_it_refuses_words_that_look_secret_all_at_once(stuck: Api) -> None:
    reply = stuck.post("/api/v1/tickets", {"package": refused_words()}, idempotency_key=fresh_key())
    assert (reply.status, reply.code) == (422, "secret_refused")
    assert [one["path"] for one in reply.details["fields"]] == WORD_PATHS
    kept = bytes(Idempotency.unscoped.get().body).decode()
    for secret in (SECRET, token(2), token(3)):
        assert secret not in reply.response.content.decode()
        assert secret not in kept
    assert Event.unscoped.filter(type="ticket_created").count() == 0


def test_it_names_other_faults_along_with_refused_words(stuck: Api) -> None:
    package = {**refused_words(), "urgency": 11, "title": ""}
    reply = stuck.post("/api/v1/tickets", {"package": package})
    assert reply.code == "secret_refused"
    paths = [one["path"] for one in reply.details["fields"]]
    assert set(paths) == {*WORD_PATHS, "package.urgency", "package.title"}
    assert len(paths) == len(set(paths))


def test_it_says_of_one_word_what_to_do(stuck: Api) -> None:
    reply = stuck.post("/api/v1/tickets", {"package": make_package(labels=[SECRET])})
    message = reply.json["error"]["message"]
    assert message.startswith("package.labels[0] looks like a secret. Take it out")


def test_a_word_is_refused_that_is_a_secret_elsewhere_in_the_package(stuck: Api) -> None:
    word = "tr0ub4dor-9fKp2mZ-7"
    context = {"errors": [f'{{"password": "{word}"}}'], "db": {"password": word}}
    reply = stuck.post("/api/v1/tickets", {"package": make_package(labels=[word])})
    assert reply.status == 201
    package = make_package(labels=["ci", word], context=context)
    reply = stuck.post("/api/v1/tickets", {"package": package})
    assert reply.code == "secret_refused"
    assert [one["path"] for one in reply.details["fields"]] == ["package.labels[1]"]


def test_it_refuses_them_in_a_new_version_too(stuck: Api) -> None:
    stuck.post("/api/v1/tickets", {"package": make_package()}).ok(201)
    reply = stuck.post("/api/v1/tickets/SB-1/package", {"package": refused_words()})
    assert reply.code == "secret_refused"
    assert [one["path"] for one in reply.details["fields"]] == WORD_PATHS


def test_half_a_surrogate_pair_in_a_word_is_a_fault_like_others(stuck: Api) -> None:
    raw = json.dumps({"package": make_package(labels=["\ud800"], urgency=0)})
    tried = stuck.post("/api/v1/packages/check", raw=raw).ok()
    assert {one["path"] for one in tried["fields"]} == {"package.labels[0]", "package.urgency"}


def test_the_dry_run_tells_what_would_be_masked(stuck: Api) -> None:
    package = make_package(human_summary=None, context={"errors": [f"token {SECRET}"]})
    before = Content.unscoped.count()
    tried = stuck.post("/api/v1/packages/check", {"package": package}).ok()
    assert tried["accepted"]
    assert tried["fields"] == []
    assert [one["code"] for one in tried["warnings"]] == ["summary_missing"]
    (masked,) = tried["masked"]
    assert set(masked) == {"where", "kind", "preview"}
    assert masked["where"] == "package.context.errors[0]"
    assert SECRET not in json.dumps(tried)
    assert Content.unscoped.count() == before


def test_the_dry_run_of_a_refused_package_tells_all(stuck: Api) -> None:
    package = {**refused_words(), "objective": f"use {token(5)}", "nonsense": 1}
    tried = stuck.post("/api/v1/packages/check", {"package": package}).ok()
    assert not tried["accepted"]
    paths = [one["path"] for one in tried["fields"]]
    assert set(paths) == {*WORD_PATHS, "package.nonsense"}
    assert "package.objective" in [one["where"] for one in tried["masked"]]
    assert SECRET not in json.dumps(tried)
    # What the dry run says is what filing says.
    refused = stuck.post("/api/v1/tickets", {"package": package})
    assert refused.details["fields"] == tried["fields"]


def test_the_dry_run_of_a_package_that_is_too_large(stuck: Api) -> None:
    package = make_package(completed=["x" * 19_000 for _ in range(14)])
    tried = stuck.post("/api/v1/packages/check", {"package": package}).ok()
    assert [one["path"] for one in tried["fields"]] == ["package"]
    assert tried["masked"] == []
