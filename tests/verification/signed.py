"""A verifier of the tests: keys, and statements signed the way a verifier signs them."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from stuckbot.lib import clock
from verification.signing import base64url
from verification.statements import Named

JOB = UUID("0197f7f0-0000-7000-8000-000000000001")
TICKET = UUID("0197f7f0-0000-7000-8000-000000000002")
PASSED = {"command": "npm ci", "exit_code": 0}


@dataclass
class Signer:
    """`private` is P-256 unless a test says otherwise."""

    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    @property
    def der(self) -> bytes:
        public = self.private.public_key()
        return public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    @property
    def pem(self) -> str:
        public = self.private.public_key()
        return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    def private_pem(self, form: PrivateFormat = PrivateFormat.PKCS8) -> str:
        return self.private.private_bytes(Encoding.PEM, form, NoEncryption()).decode()

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.der).hexdigest()

    def der_signature(self, raw: bytes) -> bytes:
        return self.private.sign(raw, ec.ECDSA(SHA256()))

    def sign(self, raw: bytes) -> bytes:
        r, s = decode_dss_signature(self.der_signature(raw))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def attest(self, raw: bytes) -> dict[str, str]:
        return {
            "key": self.fingerprint,
            "statement": base64url(raw),
            "signature": base64url(self.sign(raw)),
        }


def statement(**changes: Any) -> bytes:
    """A good statement about the job above; a change of None leaves the field out."""
    said: dict[str, Any] = {
        "v": 1,
        "verification_id": str(JOB),
        "ticket_id": str(TICKET),
        "criterion_key": "b1",
        "stage": "blocker",
        "type": "command_run",
        "payload": PASSED,
        "signed_at": clock.wire(clock.now()),
    }
    kept = {name: value for name, value in (said | changes).items() if value is not None}
    return json.dumps(kept, separators=(",", ":")).encode()


def named(now: datetime | None = None, claimed_at: datetime | None = None) -> Named:
    return Named(JOB, TICKET, "b1", "blocker", "command_run", now or clock.now(), claimed_at)
