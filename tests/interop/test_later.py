"""What comes later, through the public client: reads are empty, writes raise its error."""

from typing import Any

from tests.interop.server import Server
from tests.support import make_package

STORES: dict[str, Any] = {"data_stores": [], "strict_privacy_projects": []}
OF_TICKETS = ("upload_attachment", "request_access", "get_data_grants")
OF_DATA = ("get_data", "get_upload_grant", "put_data")
OF_JOBS = ("claim_verification", "decide_verification")


def test_reads_are_empty(server: Server) -> None:
    key = server.org["verifier_key"]
    told = server.run("later.reads", package=make_package(), verifier_key=key)
    assert told["signals"] == {"signals": [], "handoff_requested": None, "stop_requested": None}
    assert (told["stop"], told["handoff"]) == (None, None)
    assert told["context"] == {"grants": [], "access_requests": []}
    assert told["stores"] == STORES
    assert told["verifications"] == {"verifications": []}
    # An agent that asks for no scopes gets all but this one.
    status, code, _, details = told["not_shown"]
    assert (status, code, details) == (
        403,
        "insufficient_scope",
        {"required_scope": "verify"},
    )


def test_writes_raise_invalid_transition(server: Server) -> None:
    evidence = [{"criterion": "b1", "type": "command_run", "payload": {"exit_code": 0}}]
    key = server.org["verifier_key"]
    told = server.run("later.writes", package=make_package(), evidence=evidence, verifier_key=key)
    for name in (*OF_TICKETS, *OF_DATA, *OF_JOBS):
        _is_refused(name, told[name])
    for name in OF_TICKETS:
        details = told[name][3]
        assert details["state"] == "claimed"
        assert "release" in details["allowed"]
    for name in OF_JOBS:
        assert told[name][3] == {"state": "approved", "allowed": []}
    assert told["download_attachment"][:2] == [404, "not_found"]
    assert told["state"] == "blocker_resolved"


def _is_refused(name: str, heard: list[Any]) -> None:
    assert (name, heard[:2]) == (name, [409, "invalid_transition"])
    assert heard[2].endswith(".")


def test_large_files_are_read_to_the_end(server: Server) -> None:
    told = server.run("later.files", package=make_package())
    assert {name: heard[:2] for name, heard in told.items()} == {
        "taken": [409, "invalid_transition"],
        "large": [413, "too_large"],
        "nobody": [401, "invalid_token"],
        "nowhere": [404, "not_found"],
    }
