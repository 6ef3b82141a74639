"""The demo's own verifier: a key made for it, and results signed with it. The private half is kept
nowhere, so nobody can sign with it once the demo stands."""

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from stuckbot.lib.clock import wire
from stuckbot.site.demo.cast import Cast
from verification.models import Verification
from verification.services.keys import key_add

KEY_NAME: Final = "Verifier in the machine room"
_HALF: Final = 32


def verifier_make(cast: Cast, owner: str, now: datetime) -> None:
    """A pair of keys; the desk is given the public one."""
    pair = ec.generate_private_key(ec.SECP256R1())
    public = pair.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    row = key_add(actor=cast.callers[owner], name=KEY_NAME, pem=public.decode(), now=now)
    cast.note("verifier_key", row.id)
    cast.signer = (row.fingerprint, pair)


def signed(
    cast: Cast, job: Verification, key: str, kind: str, payload: Mapping[str, Any], now: datetime
) -> dict[str, str]:
    """The attestation of a result, as `stuckbot-verify` sends it."""
    assert cast.signer is not None
    fingerprint, pair = cast.signer
    statement = json.dumps(
        {
            "v": 1,
            "verification_id": str(job.id),
            "ticket_id": str(job.ticket_id),
            "criterion_key": key,
            "stage": job.stage,
            "type": kind,
            "payload": payload,
            "signed_at": wire(now),
        }
    ).encode()
    halves = decode_dss_signature(pair.sign(statement, ec.ECDSA(SHA256())))
    signature = b"".join(half.to_bytes(_HALF, "big") for half in halves)
    return {
        "key": fingerprint,
        "statement": _base64url(statement),
        "signature": _base64url(signature),
    }


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
