"""JSON Schemas of what several answers share: the components of the API document."""

from typing import Any, Final

from stuckbot.lib.outgoing import FAILURES, REFUSALS
from stuckbot.site.api.shapes import (
    ANYTHING,
    FLAG,
    NUMBER,
    PLAIN,
    TIME,
    UUID,
    WORDS,
    listed,
    nullable,
    record,
    ref,
)
from tickets.states import Mode, State
from verification.services.url_checks import DESK_FAILED

WHO: Final = record({"id": UUID, "kind": PLAIN, "name": PLAIN})
CLAIM_SHOWN: Final = record(
    {
        "id": UUID,
        "holder": ref("Actor"),
        "started_at": TIME,
        "expires_at": TIME,
        "execution_target": PLAIN,
        "conversation": nullable(ANYTHING),
    }
)
STATUS: Final = record(
    {
        "rule": PLAIN,
        "ticket_ref": nullable(PLAIN),
        "holder_id": nullable(UUID),
        "ask_id": nullable(UUID),
        "since": TIME,
    }
)
_SUMMARY: Final[dict[str, Any]] = {
    "id": UUID,
    "ref": PLAIN,
    "url": PLAIN,
    "state": {"enum": [str(one) for one in State]},
    "status_color": {"enum": ["RED", "YELLOW", "ORANGE", "GREEN"]},
    "status": STATUS,
    "mode": {"enum": [str(one) for one in Mode]},
    "urgency": {"type": "integer", "minimum": 1, "maximum": 10},
    "labels": WORDS,
    "required_skills": WORDS,
    "project_id": UUID,
    "root_id": UUID,
    "parent_id": nullable(UUID),
    "depth": NUMBER,
    "paused": FLAG,
    "incomplete": FLAG,
    "version": NUMBER,
    "created_at": TIME,
    "updated_at": TIME,
    "closed_at": nullable(TIME),
    "created_by": ref("Actor"),
    "assignee": nullable(ref("Actor")),
    "reserved_for": nullable(ref("Actor")),
    "claim": nullable(ref("Claim")),
    "needs_person": FLAG,
    "content": record(
        {"title": PLAIN, "human_summary": nullable(ANYTHING), "status_detail": PLAIN}
    ),
    "untrusted_content_notice": PLAIN,
}
CRITERION_SHOWN: Final = record(
    {
        "key": PLAIN,
        "stage": PLAIN,
        "method": PLAIN,
        "evidence_type": PLAIN,
        "status": {"enum": ["missing", "waiting", "failed", "unchecked", "passed"]},
        "locked": FLAG,
    }
)
#: With the statement; with its hash where a secret was masked in it.
ATTESTATION_SHOWN: Final = record(
    {
        "key": PLAIN,
        "statement": PLAIN,
        "statement_sha256": PLAIN,
        "signature": PLAIN,
        "signed_at": TIME,
        "key_revoked_at": TIME,
    },
    ["key", "signature", "signed_at"],
)
#: Why the desk has not checked a url: not yet, not any more, or what kept it from it.
_CHECK_REASONS: Final = (
    *("not_checked_yet", "superseded", DESK_FAILED),
    *REFUSALS,
    *FAILURES,
)
URL_CHECK_SHOWN: Final = record(
    {
        "status": {"enum": ["checked", "unchecked"]},
        "reason": {"enum": [*_CHECK_REASONS, None]},
        "last_reason": {"enum": [*FAILURES, None]},
        "http_status": nullable(NUMBER),
        "took_ms": nullable(NUMBER),
        "tries": NUMBER,
        "next_try_at": nullable(TIME),
        "allowed": FLAG,
        "checked_at": nullable(TIME),
    }
)
EVIDENCE_SHOWN: Final = record(
    {
        "id": UUID,
        "criterion_key": PLAIN,
        "stage": PLAIN,
        "type": PLAIN,
        "result": {"enum": ["pass", "fail", "waiting", "unchecked"]},
        "trust_label": PLAIN,
        "check": nullable(URL_CHECK_SHOWN),
        "counts": FLAG,
        "by": ref("Actor"),
        "created_at": TIME,
        "attestation": nullable(ATTESTATION_SHOWN),
        "content": ANYTHING,
    }
)
#: What a solver says of a fix.
_ANSWER: Final = {
    "outcome": nullable(PLAIN),
    "resolution": nullable(
        record(dict.fromkeys(("summary", "branch", "commit", "url"), PLAIN), [])
    ),
}
_STANDING: Final = {
    "stage": {"enum": ["blocker", "task", None]},
    "state": {"enum": ["approved", "submitted", "closed"]},
    "by": nullable(ref("Actor")),
    "at": TIME,
    "assurance": nullable(PLAIN),
    "content": record(_ANSWER),
}
#: A solved ticket that looks like the one that was filed, and the answer that worked.
SIMILAR_SOLVED: Final = record(
    {
        "id": UUID,
        "ref": PLAIN,
        "state": PLAIN,
        "assurance": nullable(PLAIN),
        "solved_at": TIME,
        "content": record({"title": PLAIN, **_ANSWER}),
    }
)
VERIFICATION_SHOWN: Final = record(
    {
        "id": UUID,
        "ticket_id": UUID,
        "ticket_ref": PLAIN,
        "stage": PLAIN,
        "attempt": NUMBER,
        "state": PLAIN,
        "policy": PLAIN,
        "assurance": nullable(PLAIN),
        "notes": WORDS,
        "submitted_by": ref("Actor"),
        "submitted_at": TIME,
        "decided_by": nullable(ref("Actor")),
        "decided_at": nullable(TIME),
        "claim": nullable(record({"holder": ref("Actor"), "expires_at": TIME})),
        "unproved": record({"unchecked": WORDS, "manual": WORDS}),
        "content": record(
            {
                "reason": nullable(PLAIN),
                **_ANSWER,
                "package_changes": listed(record({"path": PLAIN, "before": {}, "after": {}})),
            }
        ),
    }
)
FINDING_SHOWN: Final = record(
    {"id": UUID, "where": PLAIN, "kind": PLAIN, "preview": PLAIN, "at": TIME}
)
WARNING_SHOWN: Final = record({"code": PLAIN, "path": PLAIN, "message": PLAIN})
NOTE_SHOWN: Final = record({"id": UUID, "by": ref("Actor"), "at": TIME, "content": ANYTHING})
#: A ticket as one of its chain: oldest first, the root at the start, the tip at the end.
CHAINED: Final = record(
    {
        "id": UUID,
        "ref": PLAIN,
        "state": {"enum": [str(one) for one in State]},
        "status_color": PLAIN,
        "depth": NUMBER,
        "created_by": ref("Actor"),
        "content": record({"title": PLAIN, "handoff_reason": nullable(PLAIN)}),
    }
)
#: What somebody who left the ticket said to whoever takes it next.
LEFT: Final = record(
    {
        "by": ref("Actor"),
        "at": TIME,
        "reason": PLAIN,
        "content": record({"note": nullable(PLAIN)}),
    }
)
_DETAIL: Final[dict[str, Any]] = {
    **_SUMMARY,
    "content": record(
        {
            "title": PLAIN,
            "human_summary": nullable(ANYTHING),
            "status_detail": PLAIN,
            "package": ANYTHING,
            "blocked_reason": nullable(PLAIN),
        }
    ),
    "criteria": listed(ref("Criterion")),
    "evidence": listed(ref("Evidence")),
    "verifications": listed(ref("Verification")),
    "updates": listed(ref("Note")),
    "comments": listed(ref("Note")),
    "attachments": listed(ANYTHING),
    "dependencies": listed(ANYTHING),
    "dependents": listed(ANYTHING),
    "latest_report": nullable(ANYTHING),
    "asks": listed(ANYTHING),
    "decisions": listed(ANYTHING),
    "findings": listed(ref("Finding")),
    "warnings": listed(ref("Warning")),
    "package_version": NUMBER,
    "missing_fields": WORDS,
    "resolution": nullable(record({**_STANDING, "stages": listed(record(_STANDING))})),
    "private_data": record({"strict_privacy": FLAG}),
    "chain": listed(ref("Chained")),
    "chain_more": NUMBER,
    "handover": listed(ref("Left")),
    "you": record({"role": PLAIN, "holds_claim": FLAG, "can": WORDS}),
}
EVENT_SHOWN: Final = record(
    {
        "id": NUMBER,
        "type": PLAIN,
        "at": TIME,
        "actor": ref("Actor"),
        "data": ANYTHING,
        "content": ANYTHING,
    },
    ["id", "type", "at", "actor", "data"],
)
AGENT_SHOWN: Final = record(
    {
        "id": UUID,
        "name": PLAIN,
        "connector_id": nullable(UUID),
        "parent_agent_id": nullable(UUID),
        "provider": PLAIN,
        "model": PLAIN,
        "runtime": PLAIN,
        "labels": ANYTHING,
        "capabilities": ANYTHING,
        "scopes": WORDS,
        "project_ids": listed(UUID),
        "supports_stop": FLAG,
        "status": PLAIN,
        "last_heartbeat_at": nullable(TIME),
        "created_at": TIME,
    }
)
ERROR: Final = record(
    {
        "error": record(
            {"code": PLAIN, "message": PLAIN, "request_id": PLAIN, "details": ANYTHING},
            ["code", "message", "request_id"],
        )
    }
)

COMPONENTS: Final[dict[str, Any]] = {
    "Actor": WHO,
    "Agent": AGENT_SHOWN,
    "Chained": CHAINED,
    "Claim": CLAIM_SHOWN,
    "Criterion": CRITERION_SHOWN,
    "Error": ERROR,
    "Event": EVENT_SHOWN,
    "Evidence": EVIDENCE_SHOWN,
    "Finding": FINDING_SHOWN,
    "Left": LEFT,
    "Note": NOTE_SHOWN,
    "SimilarSolved": SIMILAR_SOLVED,
    "TicketDetail": record(_DETAIL),
    "TicketSummary": record(_SUMMARY),
    "Verification": VERIFICATION_SHOWN,
    "Warning": WARNING_SHOWN,
}
