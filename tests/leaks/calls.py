"""Every writing operation, with secrets where they are taken and where they are refused."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from stuckbot.site.api import urls
from stuckbot.site.api.operations import OPERATIONS, Operation
from tests.leaks.bodies import WAYS, Way
from tests.leaks.desk import Bearer, Cast
from tests.leaks.planted import Planted, some
from tests.support import fresh_key

OCTETS = "application/octet-stream"
assert urls.MODULES  # importing these registers the operations
WRITING = {one.id: one for one in OPERATIONS.values() if one.method != "GET"}
READING = [one for one in OPERATIONS.values() if one.method == "GET"]


def path_of(operation: Operation, ref: str) -> str:
    place = operation.path
    named = place.replace("{id}", ref).replace("{name}", ref).replace("{key}", "t2")
    return named[1:] if place.startswith("//") else f"/api/v1{named}"


def send_accepted(cast: Cast, operation: Operation, way: Way, turn: int) -> set[int]:
    """The statuses of good calls that hold some of the secrets."""
    heard = set()
    for planted in some(turn, 3):
        who, body = cast.who(way.as_), way.body(planted)
        path = path_of(operation, cast.ref(way.state))
        if operation.id == "upload_attachment":
            raw = planted.text.encode()
            answer = who.call("POST", f"{path}?filename=a.txt", None, raw, Content_Type=OCTETS)
        else:
            answer = who.call(operation.method, path, body, Idempotency_Key=fresh_key())
        heard.add(answer.status_code)
    return heard


def send_refused(cast: Cast, operation: Operation, way: Way, turn: int) -> None:
    """Calls that are refused, or take no notice of where the secret stands."""
    who, ref = cast.who(way.as_), cast.ref("open" if way.state else "")
    if way.state == "project":
        ref = cast.project
    path = path_of(operation, ref)
    bodies = list(_bodies(operation, way))
    for (body, raw), planted in zip(bodies, some(turn, len(bodies)), strict=True):
        sent = None if raw is None else raw(planted)
        value = None if body is None else body(planted)
        who.call(operation.method, path, value, sent, Idempotency_Key=fresh_key())
    _elsewhere(who, operation, path, way, some(turn, 1)[0])


def _bodies(operation: Operation, way: Way) -> Iterator[tuple[Any, Any]]:
    fields = list((operation.body.schema if operation.body else {}).get("properties", {}))

    def good(planted: Planted) -> dict[str, Any]:
        return dict(way.body(planted))

    yield lambda p: {**good(p), p.text: 1}, None
    yield lambda p: {**good(p), "extra": p.text}, None
    yield lambda p: {p.text: {p.text: [p.value]}}, None
    yield lambda p: [p.text, p.value], None
    yield lambda p: p.text, None
    yield None, lambda p: f'{{"body": {json.dumps(p.text)}, '.encode()
    yield None, lambda p: "{{{0}: 1, {0}: 2}}".format(json.dumps(p.text)).encode()
    yield None, lambda p: p.text.encode()
    yield None, lambda p: json.dumps({p.text: "\ud800"}).encode()
    for name in fields:
        yield lambda p, name=name: {**good(p), name: p.text}, None
        yield lambda p, name=name: {**good(p), name: [p.text, p.value]}, None
        yield lambda p, name=name: {**good(p), name: {p.text: p.text, "password": p.secret}}, None


def _elsewhere(who: Bearer, operation: Operation, path: str, way: Way, planted: Planted) -> None:
    """In the query, the path and the headers."""
    word = quote(planted.text, safe="")
    who.call("POST", f"{path}?{word}=1", {})
    who.call("POST", f"{path}?token={word}", {})
    if "{" in operation.path:
        who.call("POST", path_of(operation, word[:200]), way.body(planted))
    line = planted.text.replace("\n", " ")
    names = (
        "User-Agent",
        "X-Request-Id",
        "Referer",
        "Cookie",
        "Accept-Language",
        "X-Forwarded-For",
    )
    sent: dict[str, Any] = dict.fromkeys(names, line)
    who.call("POST", path, {}, **sent, Idempotency_Key=planted.secret)
    for name in ("Authorization", "Accept", "Content-Type", "Idempotency-Key", "Host"):
        header: dict[str, Any] = {name: f"Bearer {line}" if name == "Authorization" else line}
        who.call("POST", path, {"body": "x"}, **header)


def read_everything(cast: Cast) -> None:
    """What anybody may read of it all."""
    who = cast.bearers["person"]
    for operation in READING:
        if "{" not in operation.path:
            who.call("GET", path_of(operation, ""))
            cast.bearers["solver"].call("GET", path_of(operation, ""))
    for turn, operation in enumerate(READING):
        word = quote(some(turn, 1)[0].text, safe="")
        who.call("GET", path_of(operation, word[:200]))
        who.call("GET", f"{path_of(operation, 'SB-1')}?q={word}&{word}=1&cursor={word}")
    for ref in _refs(who):
        for place in ("", "/events"):
            who.ok("GET", f"/api/v1/tickets/{ref}{place}")


def _refs(who: Bearer) -> Iterator[str]:
    cursor = ""
    while True:
        page = who.ok("GET", f"/api/v1/tickets?limit=100{cursor}")
        yield from (one["ref"] for one in page["tickets"])
        if not page["next_cursor"]:
            return
        cursor = f"&cursor={page['next_cursor']}"


def ways() -> Iterator[tuple[Operation, Way]]:
    assert sorted(WAYS) == sorted(WRITING), "say in WAYS how the operation is called"
    for name, operation in WRITING.items():
        yield operation, WAYS[name]
