"""Signed results: public keys, signatures and the statements they are made over. Pure.

A verifier signs with ES256: ECDSA on P-256 over SHA-256, the signature as the 64 bytes of r and s.
A signature is judged over the exact bytes that were sent; only then is their JSON read.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)

#: The order of the group of P-256.
ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SIGNATURE_BYTES: Final = 64
#: Characters of what is pasted as a key; a key itself has 178.
KEY_MOST: Final = 10_000

_BLOCK: Final = re.compile(
    r"-----BEGIN ([A-Z0-9 ]{1,60})-----([A-Za-z0-9+/=\s]*)-----END ([A-Z0-9 ]{1,60})-----"
)
_PRIVATE: Final = re.compile(r"PRIVATE KEY|PuTTY-User-Key-File|\"d\"\s*:\s*\"")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]{40,}={0,2}")
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")

LEAKED: Final = (
    "This is a private key. Treat it as leaked: make a new pair and use this one no more. It was"
    " not kept here. Only the public half belongs here, the block BEGIN PUBLIC KEY."
)
_NO_KEY: Final = (
    "Paste one public key as PEM: the block from BEGIN PUBLIC KEY to END PUBLIC KEY that"
    " stuckbot-verify keygen prints."
)
_NO_POINT: Final = "The key in this block cannot be read. Copy the whole block again."


class KeyRefused(ValueError):
    """What was given is no public key of a verifier; says what to do, never what was given."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """`pem` is the key as it is kept, `fingerprint` the SHA-256 of its DER in hex."""

    pem: str
    fingerprint: str


def public_key_read(text: str) -> PublicKey:
    """The public key in `text`, which may have words around it; raises `KeyRefused`.

    P-256 alone, as a SubjectPublicKeyInfo with its point written out.
    """
    if _is_private(text):
        raise KeyRefused(LEAKED)
    if len(text) > KEY_MOST:
        raise KeyRefused(f"A public key has fewer than {KEY_MOST:,} characters. {_NO_KEY}")
    der = _block(text)
    key = _p256(der)
    if _der(key) != der:
        raise KeyRefused(
            "Write the key's point out in full:"
            " openssl ec -pubin -in FILE -pubout -conv_form uncompressed."
        )
    return PublicKey(_pem(key), hashlib.sha256(der).hexdigest())


def signature_holds(pem: str, message: bytes, signature: bytes) -> bool:
    """Whether r and s, 64 bytes together, sign the message. Both s and n-s do."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
    if not (0 < r < ORDER and 0 < s < ORDER):
        return False
    try:
        _loaded(pem).verify(encode_dss_signature(r, s), message, ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True


def base64url_decode(text: str) -> bytes | None:
    """The bytes of unpadded base64url; None for any other spelling of them."""
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        return None
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return raw if base64url(raw) == text else None


def base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _is_private(text: str) -> bool:
    """By what stands around it; else by what it is, when it comes without that."""
    if _PRIVATE.search(text):
        return True
    if len(text) > KEY_MOST:
        return False
    return any(_opens_as_private(match.group()) for match in _BASE64.finditer(text))


def _opens_as_private(text: str) -> bool:
    der = _decoded("".join(text.split()))
    if der is None:
        return False
    try:
        load_der_private_key(der, password=None)
    except (ValueError, UnsupportedAlgorithm):
        return False
    except TypeError:  # it wants its password
        return True
    return True


def _block(text: str) -> bytes:
    """The bytes of the one PEM block there is."""
    begins = text.count("-----BEGIN ")
    if begins > 1:
        raise KeyRefused("There are several keys here. Add them one by one.")
    block = _BLOCK.search(text)
    if block is None:
        raise KeyRefused(_NO_KEY)
    begin, body, end = block.groups()
    if begin == "CERTIFICATE":
        raise KeyRefused(
            "This is a certificate. Take the key out of it: openssl x509 -in FILE -noout -pubkey."
        )
    if begin != "PUBLIC KEY" or end != begin:
        raise KeyRefused(_NO_KEY)
    der = _decoded("".join(body.split()))
    if not der:
        raise KeyRefused(_NO_POINT)
    return der


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None


def _p256(der: bytes) -> EllipticCurvePublicKey:
    try:
        key = load_der_public_key(der)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyRefused(_NO_POINT) from error
    if not isinstance(key, EllipticCurvePublicKey) or not isinstance(key.curve, SECP256R1):
        raise KeyRefused(
            "Verifiers sign on the curve P-256, and this key is of another kind. Make a pair with"
            " stuckbot-verify keygen."
        )
    return key


def _der(key: EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _pem(key: EllipticCurvePublicKey) -> str:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@lru_cache(maxsize=256)
def _loaded(pem: str) -> EllipticCurvePublicKey:
    return _p256(_block(pem))
