"""Public keys and signatures: every verdict of the public vectors, and what is no key."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.verification.signed import Signer
from verification.signing import (
    LEAKED,
    ORDER,
    KeyRefused,
    base64url,
    base64url_decode,
    public_key_read,
    signature_holds,
)

DATA = Path(__file__).resolve().parents[1] / "data"
WYCHEPROOF = DATA / "wycheproof" / "ecdsa_secp256r1_sha256_p1363_test.json"
RFC_6979_KEY = (
    "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
    "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
)
#: Section A.2.5, with SHA-256: message, r and s.
RFC_6979 = (
    (
        "sample",
        "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
        "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
    ),
    (
        "test",
        "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367"
        "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083",
    ),
)
SIGNER = Signer()


def _pem(point: bytes, label: str = "PUBLIC KEY") -> str:
    prefix = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")
    return f"-----BEGIN {label}-----\n{base64.b64encode(prefix + point).decode()}\n-----END {label}-----\n"


def _groups() -> list[dict[str, Any]]:
    return list(json.loads(WYCHEPROOF.read_text(encoding="utf-8"))["testGroups"])


def test_it_gives_the_verdict_of_every_public_vector() -> None:
    wrong, count = [], 0
    for group in _groups():
        pem = public_key_read(group["publicKeyPem"]).pem
        for test in group["tests"]:
            count += 1
            message, signature = bytes.fromhex(test["msg"]), bytes.fromhex(test["sig"])
            if signature_holds(pem, message, signature) != (test["result"] == "valid"):
                wrong.append((test["tcId"], test["comment"]))
    assert (count, wrong) == (262, [])


@pytest.mark.parametrize(("message", "signature"), RFC_6979)
def test_it_holds_deterministic_signatures(message: str, signature: str) -> None:
    pem = public_key_read(_pem(b"\x04" + bytes.fromhex(RFC_6979_KEY))).pem
    raw = bytes.fromhex(signature)
    assert signature_holds(pem, message.encode(), raw)
    assert not signature_holds(pem, message.encode() + b" ", raw)


def test_it_holds_a_signature_with_either_s() -> None:
    raw = SIGNER.sign(b"statement")
    high = ORDER - int.from_bytes(raw[32:], "big")
    assert signature_holds(SIGNER.pem, b"statement", raw)
    assert signature_holds(SIGNER.pem, b"statement", raw[:32] + high.to_bytes(32, "big"))


def test_it_holds_no_signature_out_of_range() -> None:
    raw = SIGNER.sign(b"statement")
    zero, order, most = bytes(32), ORDER.to_bytes(32, "big"), b"\xff" * 32
    for bad in (zero, order, most):
        assert not signature_holds(SIGNER.pem, b"statement", bad + raw[32:])
        assert not signature_holds(SIGNER.pem, b"statement", raw[:32] + bad)


def test_it_holds_no_signature_in_another_form() -> None:
    raw = SIGNER.sign(b"statement")
    for other in (SIGNER.der_signature(b"statement"), raw[:-1], raw + b"\0", b"", raw * 2):
        assert not signature_holds(SIGNER.pem, b"statement", other)


def test_it_reads_a_key_and_gives_its_fingerprint() -> None:
    key = public_key_read(SIGNER.pem)
    assert key.pem == SIGNER.pem
    assert key.fingerprint == hashlib.sha256(SIGNER.der).hexdigest() == SIGNER.fingerprint


def test_it_reads_the_key_out_of_what_keygen_prints() -> None:
    printed = f"Private key saved to /home/ci/key.pem (keep it on this machine only).\n\n{SIGNER.pem}\nFingerprint: {SIGNER.fingerprint}\n"
    assert public_key_read(printed).fingerprint == SIGNER.fingerprint
    assert public_key_read(SIGNER.pem.replace("\n", "\r\n")).pem == SIGNER.pem


@cache
def _private_keys() -> dict[str, str]:
    pkcs8 = SIGNER.private_pem()
    body = "".join(pkcs8.splitlines()[1:-1])
    locked = SIGNER.private.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"password")
    ).decode()
    jwk = {"kty": "EC", "crv": "P-256", "d": base64url(b"7" * 32)}
    rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return {
        "pkcs8": pkcs8,
        "sec1": SIGNER.private_pem(PrivateFormat.TraditionalOpenSSL),
        "openssh": SIGNER.private_pem(PrivateFormat.OpenSSH),
        "locked": locked,
        "rsa": rsa_key.private_bytes(*form).decode(),
        "ed25519": ed25519.Ed25519PrivateKey.generate().private_bytes(*form).decode(),
        "cut off": pkcs8.partition("\n-----END")[0],
        "its body alone": body,
        "under a public key's name": pkcs8.replace("PRIVATE", "PUBLIC"),
        "beside a public key": SIGNER.pem + pkcs8,
        "far below": "x" * 50_000 + pkcs8,
        "as a JWK": json.dumps(jwk),
        "of PuTTY": "PuTTY-User-Key-File-3: ecdsa-sha2-nistp256\nEncryption: none\n",
    }


@pytest.mark.parametrize("kind", _private_keys())
def test_it_says_of_a_private_key_that_it_leaked(kind: str) -> None:
    with pytest.raises(KeyRefused) as refused:
        public_key_read(_private_keys()[kind])
    assert str(refused.value) == LEAKED


@cache
def _others() -> dict[str, tuple[str, str]]:
    def public(key: Any, encoding: Encoding = Encoding.PEM) -> str:
        return str(
            key.public_key().public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo).decode()
        )

    point = SIGNER.der[-65:]
    short = bytes([2 + point[-1] % 2]) + point[1:33]
    compressed = bytes.fromhex("3039301306072a8648ce3d020106082a8648ce3d030107032200") + short
    flipped = bytearray(point)
    flipped[-1] ^= 1
    block = "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n"
    certificate = SIGNER.pem.replace("PUBLIC KEY", "CERTIFICATE")
    return {
        "nothing": ("", "Paste one public key"),
        "words": ("my key", "Paste one public key"),
        "another curve": (public(ec.generate_private_key(ec.SECP384R1())), "P-256"),
        "a curve of the same size": (public(ec.generate_private_key(ec.SECP256K1())), "P-256"),
        "another kind": (public(ed25519.Ed25519PrivateKey.generate()), "P-256"),
        "rsa": (public(rsa.generate_private_key(public_exponent=65537, key_size=2048)), "P-256"),
        "a certificate": (certificate, "openssl x509"),
        "off the curve": (_pem(bytes(flipped)), "cannot be read"),
        "at infinity": (
            block.format(base64.b64encode(SIGNER.der[:26] + b"\0").decode()),
            "cannot be read",
        ),
        "no point": (_pem(b"\x04" + bytes(64)), "cannot be read"),
        "a short point": (
            block.format(base64.b64encode(compressed).decode()),
            "conv_form uncompressed",
        ),
        "too long by a byte": (_pem(point + b"\0"), "cannot be read"),
        "several": (SIGNER.pem + Signer().pem, "one by one"),
        "the same twice": (SIGNER.pem * 2, "one by one"),
        "cut off": (SIGNER.pem[:-30], "Paste one public key"),
        "an empty block": (block.format(""), "cannot be read"),
        "no base64": (block.format("AAA=A"), "cannot be read"),
        "an odd end": (SIGNER.pem.replace("END PUBLIC", "END RSA PUBLIC"), "Paste one public key"),
        "huge": (SIGNER.pem + " " * 2_000_000, "fewer than 10,000"),
        "an ssh key": ("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY me@host", "Paste one"),
    }


@pytest.mark.parametrize("kind", _others())
def test_it_says_what_to_paste_instead(kind: str) -> None:
    text, told = _others()[kind]
    with pytest.raises(KeyRefused) as refused:
        public_key_read(text)
    assert told in str(refused.value)
    assert str(refused.value) != LEAKED


def test_it_repeats_nothing_of_what_was_pasted() -> None:
    for text in (*_private_keys().values(), *(text for text, _ in _others().values())):
        with pytest.raises(KeyRefused) as refused:
            public_key_read(text)
        assert not any(line in str(refused.value) for line in text.split() if len(line) > 20)


@given(st.one_of(st.text(), st.binary().map(lambda raw: raw.decode("latin-1"))))
def test_no_text_breaks_the_reading_of_keys(text: str) -> None:
    with pytest.raises(KeyRefused):
        public_key_read(text)


@given(st.binary(max_size=200))
def test_no_block_breaks_the_reading_of_keys(der: bytes) -> None:
    text = f"-----BEGIN PUBLIC KEY-----\n{base64.b64encode(der).decode()}\n-----END PUBLIC KEY-----"
    with pytest.raises(KeyRefused):
        public_key_read(text)


@given(st.binary(max_size=80), st.binary(min_size=60, max_size=70))
def test_no_bytes_sign_by_chance(message: bytes, signature: bytes) -> None:
    assert not signature_holds(SIGNER.pem, message, signature)


@given(st.binary())
def test_base64url_has_one_spelling(raw: bytes) -> None:
    text = base64url(raw)
    assert base64url_decode(text) == raw
    assert base64url_decode(text + "=") is None


@pytest.mark.parametrize("text", ["A", "AB", "AAB", "AA==", "A+/A", "AA AA", "AA\n", "ÄÄÄÄ"])
def test_other_spellings_are_none(text: str) -> None:
    assert base64url_decode(text) is None
