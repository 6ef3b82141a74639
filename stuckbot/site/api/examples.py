"""One body for each operation that takes one, as the API document shows it; each would be taken."""

from typing import Any, Final

PACKAGE: Final[dict[str, Any]] = {
    "title": "The image service cannot be built",
    "human_summary": {
        "problem": "The image service's build is missing Python.",
        "impact": "Nothing can be tested.",
        "next_step": "Another agent needs to add the build tools and build again.",
    },
    "objective": "Ship the image service to staging",
    "stuck_reason": "npm ci fails while it builds sharp: find Python",
    "completed": ["The unit tests pass"],
    "remaining": ["Build the image"],
    "attempts": [{"what": "npm ci --ignore-scripts", "result": "sharp fails at run time"}],
    "next_steps": ["Add python3 and the build tools to the image"],
    "blocker_criteria": [
        {
            "description": "A clean install works",
            "method": "command",
            "command": "npm ci",
            "expected": "exits 0",
        }
    ],
    "mode": "blocker_only",
    "urgency": 6,
    "labels": ["ci", "node"],
}
_NOTE: Final = "The base image has Python now; build it again."
EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "add_comment": {"body": "Which image is it?"},
    "add_evidence": {
        "criterion": "b1",
        "type": "command_run",
        "payload": {"command": "npm ci", "exit_code": 0},
    },
    "approve_ticket": {"reason": "I tried it on staging."},
    "block_ticket": {"reason": "The registry is down until noon."},
    "check_package": {"package": PACKAGE},
    "claim_ticket": {
        "execution_target": "external",
        "lease_minutes": 30,
        "conversation": {"harness": "ci", "session_id": "build-7"},
    },
    "close_ticket": {"outcome": "The service was given up."},
    "continue_task": {"execution_target": "external"},
    "create_ticket": {"package": PACKAGE},
    "decide_verification": {"decision": "approve", "reason": "I ran the command again."},
    "edit_ticket": {"version": 3, "urgency": 8, "labels": ["ci"]},
    "escalate_ticket": {"reason": "Somebody has to decide which Python we use."},
    "get_data_grants": {"objects": [f"sha256:{'0' * 64}"]},
    "handoff_ticket": {"package": PACKAGE, "reason": "It is the image, not npm."},
    "heartbeat": {
        "status": "Building the image",
        "usage": {"tokens": 12000, "cost_usd": 0.42, "runtime_seconds": 95},
        "tickets": ["SB-12"],
    },
    "mark_criterion_met": {"note": "The pictures look right on a phone."},
    "pause_org": {"reason": "We move to another data centre."},
    "pause_project": {"reason": "The release is frozen."},
    "pause_ticket": {"reason": "Wait for the new base image."},
    "post_update": {"body": "Adding python3 to the image", "progress": {"step": 1, "of": 3}},
    "register_agent": {
        "name": "ci-7",
        "provider": "acme",
        "model": "acme-1",
        "runtime": "python",
        "labels": {"team": "builds"},
        "supports_stop": True,
        "scopes": ["tickets:create", "tickets:read_project"],
    },
    "release_ticket": {"note": _NOTE},
    "report_signal": {
        "type": "self_report",
        "details": {"why": "I try the same command again and again."},
        "usage": {"tokens": 90000},
    },
    "request_access": {"what": "The build log of last night", "reason": "To see what changed"},
    "request_of_agent": {"kind": "handoff", "message": "We need the machine."},
    "send_back": {"note": _NOTE},
    "submit_stage": {
        "stage": "blocker",
        "outcome": "The image builds.",
        "resolution": {"branch": "fix/python", "commit": "4f2a9c1", "summary": "Adds python3"},
    },
    "update_package": {"package": PACKAGE},
    "withdraw_ticket": {"reason": "I found it myself."},
}
