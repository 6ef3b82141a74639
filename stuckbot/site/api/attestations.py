"""Signed results for others to check: the export of a stage, and the desk's own public key."""

from stuckbot.lib import ids
from stuckbot.lib.desk_key import desk_key
from stuckbot.lib.errors import Conflict
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, plain
from stuckbot.site.api.operations import operation
from verification.export import PAYLOAD_TYPE, envelope, results_statement
from verification.selectors import attestations_get

ENVELOPE = shapes.record(
    {
        "payloadType": {"const": PAYLOAD_TYPE},
        "payload": shapes.PLAIN,
        "signatures": shapes.listed(
            shapes.record({"keyid": shapes.PLAIN, "sig": shapes.PLAIN}),
        ),
    }
)
KEY = shapes.record(
    {
        **dict.fromkeys(("kty", "crv", "alg", "use", "kid", "x", "y"), shapes.PLAIN),
        "pem": shapes.PLAIN,
    }
)


@operation(
    "get_verification_attestation",
    "GET",
    "/verifications/{id}/attestation",
    answer=ENVELOPE,
)
def get_verification_attestation(call: Call) -> Answer:
    """A decision's signed results as a DSSE envelope with an in-toto statement."""
    job, rows = attestations_get(actor=call.actor, job_id=ids.parse_uuid(call.ref))
    if not rows:
        raise Conflict(
            "No result of this stage was signed by your verifier, so there is nothing to export.",
            details={"state": job.state, "allowed": []},
        )
    return plain(envelope(results_statement(job, rows), desk_key()))


@operation(
    "get_desk_keys",
    "GET",
    "//.well-known/stuckbot-desk-keys.json",
    kinds=None,
    answer=shapes.record({"keys": shapes.listed(KEY)}),
)
def get_desk_keys(call: Call) -> Answer:
    """The public key with which this desk signs what it exports, as a JWK with its PEM."""
    return plain({"keys": [desk_key().jwk()]})
