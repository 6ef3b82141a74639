"""What a whole life is given, and what must have come of each of its parts."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.support import TAKEOVER, make_package

Told = dict[str, Any]

REGISTRATION = {
    "name": "stuck",
    "labels": {"team": "builds"},
    "runtime": "python",
    "provider": "acme",
    "model": "acme-1",
    "capabilities": {"tools": ["shell"]},
    "supports_stop": True,
}


def _check(method: str, **more: Any) -> dict[str, Any]:
    return {"description": f"By {method}", "method": method, "expected": "it works", **more}


PACKAGES = {
    "plain": make_package(),
    "takeover": make_package(**TAKEOVER),
    "every_method": make_package(
        blocker_criteria=[
            _check("command", command="npm ci"),
            _check("test_suite"),
            _check("log_match", pattern="built in [0-9]+ s"),
            _check("artifact"),
            _check("external_check", expected="200 OK"),
            _check("manual"),
        ]
    ),
}
#: Evidence of each type, by criterion.
PROOF = {
    "b1": ["command_run", {"command": "npm ci", "exit_code": 0, "cwd": "/app"}],
    "b2": ["test_report", {"runner": "pytest", "passed": 3, "failed": 0, "skipped": 1}],
    "b3": ["log_match", {"excerpt": "image built in 12 s", "source": "ci.log"}],
    "b4": ["artifact", {"path": "dist/app.tar", "sha256": "0" * 64}],
    "b5": ["external_check", {"url": "https://staging.example.com/healthz", "status": 200}],
    "b6": ["manual_note", {"note": "It looks right on a phone"}],
}


def _joined(told: Told, _: Told) -> None:
    agent = told["agent"]
    assert {name: agent[name] for name in REGISTRATION} == REGISTRATION
    assert agent["parent_agent_id"] is None
    assert (told["registrations"], told["resumed"], told["renewed"]) == (1, [True, 0], [1, True])
    assert told["me"]["agent"]["id"] == agent["id"]
    assert told["me"]["polling"]["interval_seconds"] > 0
    assert told["child"]["agent"]["parent_agent_id"] == agent["id"]


def _lives(told: Told, _: Told) -> None:
    for answer in (told["answer"], told["plain"]):
        assert (answer["ok"], answer["token_expires_soon"]) == (True, False)
        assert (answer["handoff_requested"], answer["stop_requested"]) == (None, None)
    assert told["signals"] == {"signals": [], "handoff_requested": None, "stop_requested": None}
    assert told["same"]


def _filed(told: Told, checked: Told) -> None:
    filed = told["filed"]
    assert (filed["state"], filed["project_id"]) == ("open", checked["project_id"])
    assert filed["content"]["package"]["blocker_criteria"][0]["key"] == "b1"
    assert told["comment"]["content"] == {"body": "Which image is it?"}
    assert told["mended"] == told["read"] == "Now with a better title"
    assert told["listed"] == told["iterated"] == [filed["id"]]
    assert told["events"] == ["ticket_created", "comment_added", "package_updated"]
    assert told["same"]
    assert told["withdrawn"] == "withdrawn"
    assert told["gone"][:2] == [409, "invalid_transition"]


def _polled(told: Told, _: Told) -> None:
    assert told["unchanged"] == [False, True, True]
    assert all(5 <= wait <= 60 for wait in told["waits"])
    assert told["found"] == ["claim", True]
    assert told["lost"][:2] == [409, "already_claimed"]
    assert told["renewals"]
    assert told["claim"]["holder"]["name"] == "solver"
    assert told["length"] >= 300
    assert told["after"] == "open"


def _solved(told: Told, _: Told) -> None:
    assert told["update"]["content"] == {"body": "On it", "progress": {"step": 1}}
    assert told["early"][:2] == [422, "invalid_request"]
    assert sorted(told["early"][3]["missing"]) == ["b1", "b2", "b3", "b4", "b5"]
    results = told["results"]
    assert [results[f"b{number}"] for number in range(1, 5)] == ["pass"] * 4
    assert results["b6"] == "waiting"
    assert told["wrong"][3]["expected_command"] == "npm ci"
    assert (told["submitted"]["state"], told["state"]) == ("waiting_person", "blocker_review")
    assert told["kept"]
    assert told["events"][:3] == ["ticket_created", "ticket_claimed", "update_posted"]
    assert told["events"].count("evidence_added") == len(PROOF)
    assert told["events"][-1] == "stage_submitted"


def _took_over(told: Told, _: Told) -> None:
    assert told["continuing"] == "continuing"
    assert (told["job"]["state"], told["waiting"]) == ("waiting_agent", True)
    assert told["taken"]["claim"]["holder"]["name"] == "verifier"
    # An agent that asks for no scopes gets all but this one.
    assert [*told["second"][1:2], told["second"][3]] == [
        "insufficient_scope",
        {"required_scope": "verify"},
    ]
    decided = told["decided"]
    assert (decided["state"], decided["assurance"]) == ("approved", "agent_verified")
    assert told["state"] == "completed"


def _failed(told: Told, _: Told) -> None:
    assert (told["raised"], told["released"], told["state"]) == ("ZeroDivisionError", True, "open")
    assert told["last"]["type"] == "ticket_released"
    assert "ZeroDivisionError" in told["last"]["content"]["note"]


def _escalated(told: Told, _: Told) -> None:
    assert told == {"state": "needs_human", "needs_person": True}


def _handed_on(told: Told, _: Told) -> None:
    assert (told["refused"], told["held"]) == ([422, "invalid_request"], True)
    parent, child = told["answer"]["ticket"], told["answer"]["child"]
    assert (parent["id"], parent["state"]) == (told["filed"]["id"], "handed_off")
    assert (child["state"], child["parent_id"], child["depth"]) == ("open", parent["id"], 1)
    assert child["root_id"] == parent["root_id"] == parent["id"]
    assert told["renewed"] == [409, "state_changed"]
    assert told["handed_on_again"][0] == 409


def _signalled(told: Told, checked: Told) -> None:
    alone, filed = told["alone"], told["filed"]
    assert set(alone) == {"signal"}
    assert alone["signal"]["content"]["details"] == {"why": "I go in circles"}
    ticket = filed["ticket"]
    assert (ticket["incomplete"], ticket["mode"]) == (True, "blocker_only")
    assert ticket["project_id"] == checked["project_id"]
    assert {"objective", "stuck_reason", "blocker_criteria"} <= set(ticket["missing_fields"])
    assert filed["signal"]["ticket_id"] == ticket["id"]
    assert told["completed"] == [False, []]
    assert [one["type"] for one in told["listed"]] == ["budget", "self_report"]


def _was_asked(told: Told, _: Told) -> None:
    for name, answers in (("handoff", told["told"]), ("stop", told["stop_told"])):
        heard = set(answers[f"{name}_requested"])
        assert len(heard) == 1, heard
        assert json.loads(heard.pop())["reason"] == "person"
    assert told["cleared"] is None
    assert told["polled"][0] == "claim"
    # Who was told to stop takes nothing new.
    assert told["refused"] == [403, "not_eligible"]
    assert [name for name, _ in told["calls"]] == ["handoff", "stop"]
    request = told["calls"][0][1]
    assert set(request) == {"id", "reason", "requested_at", "ticket_id", "content"}
    assert request["content"] == {"message": "We need the machine."}


def _came_later(told: Told, _: Told) -> None:
    assert told["context"] == {"grants": [], "access_requests": []}
    assert told.get("stores", NO_STORES) == NO_STORES
    refused = told["refused"]
    assert refused.pop("download_attachment")[:2] == [404, "not_found"]
    assert refused
    for name, heard in refused.items():
        assert (name, heard[:2]) == (name, [409, "invalid_transition"])


NO_STORES: Told = {"data_stores": [], "strict_privacy_projects": []}


def _described(told: Told, _: Told) -> None:
    assert told["openapi"].startswith("3.1")
    assert set(told["operations"]) - set(told["index"]["operations"]) <= {"get_grant_keys"}
    assert told["title"]
    if told["keys"] is not None:
        assert told["keys"][:2] == [404, "not_found"]
    assert re.fullmatch("req_[0-9a-f]{16}", told["request_id"])


def _retired(told: Told, _: Told) -> None:
    assert (told["refused"], told["error"]) == ([401, "token_revoked"], "None")
    assert told["answer"] == {"released": [told["ref"]], "waiting": []}


CHECKS: dict[str, Callable[[Told, Told], None]] = {
    "joining": _joined,
    "living": _lives,
    "filing": _filed,
    "polling": _polled,
    "solving": _solved,
    "taking_over": _took_over,
    "failing": _failed,
    "escalating": _escalated,
    "handing_on": _handed_on,
    "signalling": _signalled,
    "asked": _was_asked,
    "later": _came_later,
    "describing": _described,
    "retiring": _retired,
}
