"""Bodies that are no JSON, or JSON that two readers could take differently."""

import json
from typing import Any

import pytest

from tests.api.refusals import nested, nothing_changes, paths, refused, send
from tests.support import Api, file_ticket, make_package

COMMENTS = "/api/v1/tickets/SB-1/comments"


@pytest.fixture(autouse=True)
def _ticket(stuck: Api) -> None:
    file_ticket(stuck)


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b'{"body": }',
        b"{'body': 1}",
        b'{"body": "a"} x',
        b'{"body": "a\nb"}',
        b'{"body": NaN}',
        b'{"body": Infinity}',
        b'{"body": -Infinity}',
        b'{"body": 1e999}',
        b'{"body": "a", "body": "a"}',
        b'{"body": {"a": 1, "a": 2}}',
        b'{"body": {"a": 1, "\\u0061": 2}}',
        b'\xef\xbb\xbf{"body": "a"}',
        b'{"body": "\xff"}',
        '{"body": "a"}'.encode("utf-16"),
        b'{"body": ' + b"9" * 5_000 + b"}",
        b"\x00",
        nested(65),
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_it_refuses_what_is_not_json(raw: bytes, stuck: Api) -> None:
    with nothing_changes():
        refused(send(stuck.token, COMMENTS, raw), 400, "invalid_json")


def test_it_takes_64_levels(stuck: Api) -> None:
    assert paths(refused(send(stuck.token, COMMENTS, nested(64)), 422, "invalid_request")) == [
        "body"
    ]
    deep: Any = "x"
    for _ in range(61):
        deep = [deep]
    body = {"body": "Deep", "progress": {"levels": deep}}
    raw = json.dumps(body).encode()
    stuck.post("/api/v1/tickets/SB-1/claim").ok()
    assert send(stuck.token, "/api/v1/tickets/SB-1/updates", raw).status == 201


@pytest.mark.parametrize("raw", [b"[]", b'"text"', b"1", b"null", b"true", b"1.5"])
def test_it_wants_an_object(raw: bytes, stuck: Api) -> None:
    with nothing_changes():
        assert paths(refused(send(stuck.token, COMMENTS, raw), 422, "invalid_request")) == [""]


@pytest.mark.parametrize("bad", ["\\u0000", "\\ud800", "\\udc00", "a\\ud83dz", "\\ud800" * 30_000])
def test_it_refuses_text_that_cannot_be_stored(bad: str, stuck: Api) -> None:
    with nothing_changes():
        raw = b'{"body": "%s", "extra": 1}' % bad.encode()
        found = paths(refused(send(stuck.token, COMMENTS, raw), 422, "invalid_request"))
        assert found == ["body", "extra"]
        raw = b'{"body": "x", "%s": 1}' % bad[:12].encode()
        refused(send(stuck.token, COMMENTS, raw), 422, "invalid_request")
        package = json.dumps({"package": make_package(objective="BAD")}).replace("BAD", bad[:12])
        reply = send(stuck.token, "/api/v1/tickets", package.encode())
        assert "package.objective" in paths(refused(reply, 422, "invalid_request"))


def test_it_takes_characters_beyond_the_first_plane(stuck: Api) -> None:
    reply = send(stuck.token, COMMENTS, b'{"body": "\\ud83d\\ude00 \xf0\x9f\x98\x80"}')
    assert reply.ok(201)["comment"]["content"]["body"] == "😀 😀"


def test_it_names_every_fault_at_once(stuck: Api) -> None:
    package = make_package(title=7, objective=None, remaining="x", surprise=1, urgency=11)
    package["blocker_criteria"] = [{"description": "No way to check", "method": "magic"}]
    with nothing_changes():
        reply = stuck.post("/api/v1/tickets", {"package": package})
        found = paths(refused(reply, 422, "invalid_request"))
    assert {
        "package.title",
        "package.objective",
        "package.remaining",
        "package.surprise",
        "package.urgency",
        "package.blocker_criteria[0].method",
    } <= set(found)


def test_it_names_unknown_fields_and_wrong_types_at_once(stuck: Api) -> None:
    body = {"execution_target": "moon", "lease_minutes": "x", "conversation": [], "a": 1, "b": 2}
    with nothing_changes():
        reply = stuck.post("/api/v1/tickets/SB-1/claim", body)
        found = paths(refused(reply, 422, "invalid_request"))
    assert found == ["a", "b", "conversation", "execution_target", "lease_minutes"]


@pytest.mark.parametrize("minutes", [0, -1, 4, 1441, 10**30, 1.5, True])
def test_it_refuses_a_lease_out_of_range(minutes: Any, stuck: Api) -> None:
    with nothing_changes():
        reply = stuck.post("/api/v1/tickets/SB-1/claim", {"lease_minutes": minutes})
        assert paths(refused(reply, 422, "invalid_request")) == ["lease_minutes"]


def _sized(size: int) -> dict[str, Any]:
    """A package of exactly `size` bytes as compact JSON."""
    package = make_package(context={"logs": [""] * 20})
    logs = package["context"]["logs"]
    missing = size - len(json.dumps(package, ensure_ascii=False, separators=(",", ":")))
    for place in range(20):
        part = min(missing, 19_000)
        logs[place] = "x" * part
        missing -= part
    assert missing == 0
    return package


def test_it_takes_a_package_up_to_its_limit(stuck: Api) -> None:
    stuck.post("/api/v1/tickets", {"package": _sized(262_143)}).ok(201)
    with nothing_changes():
        reply = stuck.post("/api/v1/tickets", {"package": _sized(262_144)})
        refused(reply, 413, "too_large")


def test_it_takes_no_body_over_a_mebibyte(stuck: Api) -> None:
    body = b'{"body": "x"' + b" " * (1_048_576 - 13)
    assert send(stuck.token, COMMENTS, body + b"}").status == 201
    with nothing_changes():
        refused(send(stuck.token, COMMENTS, body + b" }"), 413, "too_large")
        refused(send(stuck.token, COMMENTS, b"x" * 3_000_000), 413, "too_large")


def test_it_refuses_progress_over_its_limit(stuck: Api) -> None:
    stuck.post("/api/v1/tickets/SB-1/claim").ok()
    with nothing_changes():
        body = {"body": "x", "progress": {"text": "x" * 8_192}}
        reply = stuck.post("/api/v1/tickets/SB-1/updates", body)
        assert paths(refused(reply, 422, "invalid_request")) == ["progress"]
