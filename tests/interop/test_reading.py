"""What the public client reads: pages, events, packages, the API's description of itself."""

import re

import jsonschema

from tests.interop.server import Server
from tests.support import make_package

METHODS = {"get", "post", "patch", "put", "delete"}


def test_it_pages_through_tickets_while_more_are_filed(server: Server) -> None:
    told = server.run("reading.pages", package=make_package())
    read = told["read"]
    assert len(read) == len(set(read))
    assert [one for one in read if one in set(told["filed"])] == told["filed"][::-1]
    assert told["mine"] == told["filed"][2::4][::-1]


def test_it_pages_through_events(server: Server) -> None:
    told = server.run("reading.events", package=make_package())
    ids = [event["id"] for event in told["read"]]
    assert told["page"] == 200
    assert ids == sorted(set(ids))
    assert [event["type"] for event in told["read"]].count("comment_added") == 210
    assert told["shown"] == 210
    assert told["last"]["content"] == {"body": "Comment 209"}


def test_it_replaces_a_package_and_keeps_its_criteria(server: Server) -> None:
    criterion = make_package()["blocker_criteria"][0] | {"key": "b1", "command": "true"}
    told = server.run("reading.package", package=make_package(), other_criteria=[criterion])
    assert told["updated"]["content"]["title"] == "Now with a better title"
    assert told["refusals"] == [[409, "not_claim_holder"], [409, "criteria_locked"]]


def test_it_answers_polls_that_find_nothing_new_with_304(server: Server) -> None:
    told = server.run("reading.polls", package=make_package(labels=["polls"]), label="polls")
    assert told["unchanged"] == [False, True, False]
    assert told["found"] == [0, 0, 1]
    assert all(wait for wait in told["wait"])


def test_it_describes_the_operations_the_client_knows(server: Server) -> None:
    told = server.run("reading.description")
    document = told["document"]
    assert document["openapi"].startswith("3.1")
    served = {
        operation["operationId"]: [method.upper(), path]
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    }
    known = {name: _shape(call) for name, call in told["operations"].items() if name not in LATER}
    assert len(known) == 37
    assert known == {name: _shape(served[name]) for name in known}
    assert set(told["index"]["operations"]) == set(served)


def _shape(call: list[str]) -> list[str]:
    """The call without its parameters' names."""
    return [call[0], re.sub(r"\{\w+\}", "{}", call[1])]


#: They come with data stores.
LATER = {"get_grant_keys"}


def test_it_gives_its_schema_and_index(server: Server) -> None:
    told = server.run("reading.description")
    jsonschema.Draft202012Validator.check_schema(told["schema"])
    jsonschema.validate(make_package(), told["schema"], jsonschema.Draft202012Validator)
    assert told["index"]
    assert told["me"]["polling"]["interval_seconds"] > 0
    assert told["signals"]["stop_requested"] is None
    assert told["rate_limit"] == 600
    assert re.fullmatch("req_[0-9a-f]{16}", told["request_id"])
