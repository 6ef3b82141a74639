"""A good body for every writing operation, with a secret in each text it takes.

An operation that is not in the table fails the test until it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.leaks.planted import Planted
from tests.support import TAKEOVER, make_package

Body = Callable[[Planted], Any]


@dataclass(frozen=True)
class Way:
    """Who calls it, on a ticket in what state, with what. `status` of an answer that is meant."""

    as_: str
    state: str = ""
    body: Body = lambda _: {}
    status: int = 200


def package(planted: Planted, **changes: Any) -> dict[str, Any]:
    """A package with the secret in every text; its keys and words are plain."""
    text, value = planted.text, planted.value
    one_line = text if "\n" not in text and len(text) < 180 else "A plain title"
    criterion = {
        "description": text,
        "method": "command",
        "command": f"echo '{text}'",
        "expected": text,
    }
    log = {"description": text, "method": "log_match", "pattern": text, "expected": text}
    changes = {
        "title": one_line,
        "human_summary": dict.fromkeys(("problem", "impact", "next_step", "outcome"), text),
        "objective": text,
        "stuck_reason": text,
        "completed": [text],
        "remaining": [text],
        "attempts": [{"what": text, "result": text}],
        "next_steps": [text],
        "repro": [text],
        "constraints": text,
        "budget_spent": text,
        "context": {
            "errors": [text, text],
            "logs": text,
            "environment": {"A": text},
            "snippets": [{"path": text, "text": text}],
            "workspace": dict.fromkeys(("repo", "branch", "commit", "path", "url"), text),
            "more": {"deep": [value, {"deeper": text}], text: text},
        },
        "data_refs": [
            {"store": "main", "object": f"sha256:{'ab' * 32}", "kind": "file", "name": "a.txt"}
        ],
        "blocker_criteria": [
            {"description": "d", "method": "command", "command": "npm ci", "expected": "exits 0"},
            criterion,
            log,
        ],
        **changes,
    }
    return make_package(**changes)


def _explanation(planted: Planted) -> dict[str, Any]:
    said = dict.fromkeys(("problem", "impact", "next_step", "outcome"), planted.text)
    return {"version": 1, "human_summary": said}


def _reason(planted: Planted) -> dict[str, Any]:
    return {"reason": planted.text}


def _wish(planted: Planted) -> dict[str, Any]:
    address = f"https://chat.example.com/?q={planted.text}"[:2000]
    said = {"harness": "h", "session_id": planted.text[:200], "thread_url": address}
    return {"conversation": said}


def _evidence(planted: Planted) -> dict[str, Any]:
    payload = {
        "command": "npm ci",
        "exit_code": 0,
        "output_excerpt": planted.text,
        "cwd": planted.text,
    }
    return {"criterion": "b1", "type": "command_run", "payload": payload}


def _register(planted: Planted) -> dict[str, Any]:
    said = {"labels": {"a": planted.text, "b": planted.value}}
    return {
        "name": "fine",
        "capabilities": {"c": [planted.text], planted.text: planted.value},
        **said,
    }


def _submit(planted: Planted) -> dict[str, Any]:
    said = dict.fromkeys(("branch", "commit", "url", "summary"), planted.text)
    return {"stage": "blocker", "outcome": planted.text, "resolution": said}


def _decision(planted: Planted) -> dict[str, Any]:
    report = {"runner": planted.text, "passed": 1, "failed": 0, "summary": planted.text}
    sent = {"criterion": "t1", "type": "test_report", "payload": report}
    return {"decision": "approve", "reason": planted.text, "evidence": [sent]}


WAYS: Final[dict[str, Way]] = {
    "register_agent": Way("connector", body=_register, status=201),
    "renew_agent_token": Way("fresh"),
    "heartbeat": Way("solver", body=lambda p: {"status": p.text, "usage": {"tokens": 1}}),
    "retire_agent": Way("fresh"),
    "request_of_agent": Way(
        "person", "agent", lambda p: {"kind": "handoff", "message": p.text}, 201
    ),
    "withdraw_request_of_agent": Way("person", "agent"),
    "create_ticket": Way(
        "stuck", body=lambda p: {"package": package(p), "blocked_reason": p.text}, status=201
    ),
    "check_package": Way("stuck", body=lambda p: {"package": package(p)}),
    "update_package": Way("stuck", "open", lambda p: {"package": package(p, **TAKEOVER)}),
    "claim_ticket": Way("solver", "open", _wish),
    "continue_task": Way("solver", "resolved", _wish),
    "renew_claim": Way("solver", "claimed"),
    "release_ticket": Way("solver", "claimed", lambda p: {"note": p.text}),
    "post_update": Way(
        "solver",
        "claimed",
        lambda p: {"body": p.text, "progress": {"v": p.value, p.text: [p.text]}},
        201,
    ),
    "add_evidence": Way("solver", "claimed", _evidence, 201),
    "submit_stage": Way("solver", "proven", _submit),
    "escalate_ticket": Way("solver", "claimed", _reason),
    "add_comment": Way("stuck", "open", lambda p: {"body": p.text}, 201),
    "withdraw_ticket": Way("stuck", "open", _reason),
    "close_ticket": Way("person", "open", lambda p: {"outcome": p.text}),
    "reopen_ticket": Way("person", "closed"),
    "block_ticket": Way("person", "open", _reason),
    "unblock_ticket": Way("person", "open"),
    "edit_ticket": Way("person", "open", _explanation),
    "pause_ticket": Way("person", "open", _reason),
    "resume_ticket": Way("person", "open"),
    "send_back": Way("person", "escalated", lambda p: {"note": p.text}),
    "approve_ticket": Way("person", "doubted", _reason),
    "mark_criterion_met": Way("person", "open", lambda p: {"note": p.text}),
    "take_over": Way("person", "escalated"),
    "pause_project": Way("person", "project", _reason),
    "resume_project": Way("person", "project"),
    "pause_org": Way("person", body=_reason),
    "resume_org": Way("person"),
    "upload_attachment": Way("stuck", "open", status=409),
    "handoff_ticket": Way(
        "solver", "claimed", lambda p: {"package": package(p), "reason": p.text}, 201
    ),
    "request_access": Way("solver", "open", lambda p: {"what": p.text, "reason": p.text}, 409),
    "get_upload_grant": Way("stuck", "store", status=409),
    "get_data_grants": Way("solver", "open", lambda p: {"objects": [p.text]}, 409),
    "report_signal": Way(
        "solver",
        body=lambda p: {
            "type": "self_report",
            "details": {"said": p.value, p.text: p.text},
            "package": package(p),
        },
        status=201,
    ),
    "claim_verification": Way("verifier", "review"),
    "decide_verification": Way("verifier", "review", _decision),
}
