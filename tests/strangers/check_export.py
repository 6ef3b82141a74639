"""Checks an exported envelope, as somebody would who knows the formats and not this project.

    python check_export.py ENVELOPE.json DESK.pem VERIFIER.pem...

Knows DSSE v1, in-toto Statement v1 and ES256; takes no key from the envelope itself. Prints what
each signature proved as JSON; exit code 1 when one does not hold.
"""

import base64
import hashlib
import json
import sys
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
)


def key_of(file: str) -> tuple[str, ec.EllipticCurvePublicKey]:
    with open(file, "rb") as pem:
        key = load_pem_public_key(pem.read())
    assert isinstance(key, ec.EllipticCurvePublicKey)
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest(), key


def holds(key: ec.EllipticCurvePublicKey, message: bytes, signature: bytes) -> bool:
    try:
        key.verify(signature, message, ec.ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True


def pre_authentication(kind: str, body: bytes) -> bytes:
    return f"DSSEv1 {len(kind.encode())} {kind} {len(body)} ".encode() + body


def envelope_opened(envelope: dict[str, Any], desk: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    body = base64.b64decode(envelope["payload"], validate=True)
    signed = pre_authentication(envelope["payloadType"], body)
    signatures = [base64.b64decode(one["sig"], validate=True) for one in envelope["signatures"]]
    if not any(holds(desk, signed, one) for one in signatures):
        sys.exit("The desk's signature does not hold.")
    if envelope["payloadType"] != "application/vnd.in-toto+json":
        sys.exit("This is no in-toto statement.")
    statement: dict[str, Any] = json.loads(body)
    if statement["_type"] != "https://in-toto.io/Statement/v1":
        sys.exit("This is no in-toto statement of version 1.")
    return statement


def unpadded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def result_checked(result: dict[str, Any], key: ec.EllipticCurvePublicKey) -> str:
    """What the verifier's own signature proves of this result."""
    if result["statement"] is None:
        return "hash only"
    raw, signature = unpadded(result["statement"]), unpadded(result["signature"])
    r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
    if len(signature) != 64 or not holds(key, raw, utils.encode_dss_signature(r, s)):
        return "signature does not hold"
    if hashlib.sha256(raw).hexdigest() != result["statement_sha256"]:
        return "another statement"
    said = json.loads(raw)
    if (said["criterion_key"], said["type"]) != (result["criterion_key"], result["type"]):
        return "about something else"
    return "signed"


def main() -> None:
    file, desk_file, *verifier_files = sys.argv[1:]
    with open(file, encoding="utf-8") as opened:
        envelope = json.load(opened)
    statement = envelope_opened(envelope, key_of(desk_file)[1])
    keys = dict(key_of(one) for one in verifier_files)
    subjects = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    found = {}
    for result in statement["predicate"]["results"]:
        key = keys.get(result["key"])
        verdict = "unknown key" if key is None else result_checked(result, key)
        if subjects.get(result["name"]) != result["statement_sha256"]:
            verdict = "no subject"
        found[result["criterion_key"]] = verdict
    print(json.dumps(found))
    sys.exit(0 if set(found.values()) <= {"signed", "hash only"} else 1)


if __name__ == "__main__":
    main()
