"""The desk's own signing key: what the desk itself says, others can check with its public half.

Made from `SECRET_KEY`, so that there is nothing more to keep, and machines that share a database
sign alike. A new `SECRET_KEY` is a new key.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
#: 128 bits more than the order has, so that the remainder favours no number.
_MATERIAL: Final = 48


@dataclass(frozen=True, slots=True)
class DeskKey:
    """`fingerprint` is the SHA-256 of the public key's DER in hex."""

    private: ec.EllipticCurvePrivateKey
    pem: str
    fingerprint: str

    def sign(self, message: bytes) -> bytes:
        """ECDSA over SHA-256, as DER: the form that openssl and DSSE's tools read."""
        return self.private.sign(message, ec.ECDSA(SHA256()))

    def jwk(self) -> dict[str, Any]:
        """The public half as a JSON Web Key, with the same as PEM beside it."""
        numbers = self.private.public_key().public_numbers()
        return {
            "kty": "EC",
            "crv": "P-256",
            "alg": "ES256",
            "use": "sig",
            "kid": self.fingerprint,
            "x": _coordinate(numbers.x),
            "y": _coordinate(numbers.y),
            "pem": self.pem,
        }


def desk_key() -> DeskKey:
    return _made(settings.SECRET_KEY)


@lru_cache(maxsize=2)
def _made(secret_key: str) -> DeskKey:
    derive = HKDF(algorithm=SHA256(), length=_MATERIAL, salt=None, info=b"stuckbot desk key 1")
    number = int.from_bytes(derive.derive(secret_key.encode()), "big") % (_ORDER - 1) + 1
    private = ec.derive_private_key(number, ec.SECP256R1())
    public = private.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return DeskKey(private, pem, hashlib.sha256(der).hexdigest())


def _coordinate(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()
