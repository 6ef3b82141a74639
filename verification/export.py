"""A stage's signed results as an in-toto statement in a DSSE envelope, to be checked elsewhere.

The envelope is signed by the desk. Each result inside bears its verifier's own signature over its
own statement, which holds with the verifier's public key alone, whatever the desk says.
"""

import base64
from collections.abc import Sequence
from typing import Any, Final

from stuckbot.lib.clock import wire, wire_or_none
from stuckbot.lib.desk_key import DeskKey
from stuckbot.lib.strict_json import dumps
from verification.models import Attestation, Verification

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:stuckbot-selfhosted:signed-results:1"


def envelope(value: Any, key: DeskKey) -> dict[str, Any]:
    """The value as JSON in a DSSE envelope."""
    payload = dumps(value)
    signature = key.sign(pre_authentication(PAYLOAD_TYPE, payload))
    return {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": key.fingerprint, "sig": base64.b64encode(signature).decode()}],
    }


def pre_authentication(type_: str, payload: bytes) -> bytes:
    """The bytes that a DSSE signature is made over."""
    kind = type_.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def results_statement(job: Verification, rows: Sequence[Attestation]) -> dict[str, Any]:
    """What the desk says of a job's signed results; `rows` with their evidence and keys."""
    keys = {row.key_id: row.key for row in rows}
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": _name(job, row), "digest": {"sha256": row.statement_sha256}} for row in rows
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "verification": {
                "id": str(job.id),
                "ticket_id": str(job.ticket_id),
                "ticket_ref": _ref(job),
                "stage": job.stage,
                "attempt": job.attempt,
                "state": job.state,
                "assurance": job.assurance or None,
                "submitted_at": wire(job.submitted_at),
                "decided_at": wire_or_none(job.decided_at),
            },
            "results": [{"name": _name(job, row), **_result(row)} for row in rows],
            "keys": [
                {
                    "fingerprint": key.fingerprint,
                    "pem": key.pem,
                    "revoked_at": wire_or_none(key.revoked_at),
                }
                for key in keys.values()
            ],
        },
    }


def _ref(job: Verification) -> str:
    return f"SB-{job.ticket.number}"


def _name(job: Verification, row: Attestation) -> str:
    return f"{_ref(job)}/{job.stage}/{row.evidence.criterion}/{row.evidence_id}"


def _result(row: Attestation) -> dict[str, Any]:
    return {
        "criterion_key": row.evidence.criterion,
        "type": row.evidence.type,
        "result": row.evidence.result,
        "key": row.key.fingerprint,
        "signature": row.signature,
        "statement": row.statement,
        "statement_sha256": row.statement_sha256,
        "signed_at": wire(row.signed_at),
        "received_at": wire(row.evidence.created_at),
    }
