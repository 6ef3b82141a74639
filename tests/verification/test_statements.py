"""What a signed statement must say: checked over its exact bytes, every fault at once."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stuckbot.lib import clock
from tests.verification.signed import JOB, PASSED, Signer, named, statement
from verification.signing import ORDER, base64url, public_key_read
from verification.statements import STATEMENT_MOST, Named, Signed, attestation_read

DATA = Path(__file__).resolve().parents[1] / "data"
SIGNER = Signer()
NOW = datetime(2026, 3, 1, 12, 0, 30, 500_000, tzinfo=UTC)


def _read(raw: bytes, pem: str | None = SIGNER.pem, to: Named | None = None, **sent: Any) -> Any:
    return attestation_read({**SIGNER.attest(raw), **sent}, to or named(), pem)


def _faults(raw: bytes, **sent: Any) -> dict[str, str]:
    signed, faults = _read(raw, **sent)
    assert signed is None
    return dict(faults)


def _good(raw: bytes, to: Named | None = None) -> Signed:
    signed, faults = _read(raw, to=to)
    assert faults == []
    assert signed is not None
    return signed  # type: ignore[no-any-return]


def test_it_takes_what_was_signed_as_the_evidence() -> None:
    raw = statement()
    signed = _good(raw)
    assert signed.payload == PASSED
    assert (signed.key, signed.statement) == (SIGNER.fingerprint, base64url(raw))
    assert len(signed.statement_sha256) == 64


def test_spelling_is_free_as_long_as_it_is_signed() -> None:
    said = json.loads(statement())
    for raw in (
        json.dumps(said, indent=2).encode(),
        json.dumps(dict(reversed(said.items()))).encode(),
        statement(verification_id=str(JOB).upper()),
        json.dumps(said).replace('"stage"', '"st\\u0061ge"').encode(),
    ):
        _good(raw)


def test_another_spelling_of_what_was_signed_does_not_hold() -> None:
    raw = statement()
    for other in (raw + b" ", raw.replace(b":1,", b": 1,"), raw.replace(b"npm ci", b"npm  ci")):
        assert set(_faults(raw, statement=base64url(other))) == {"signature"}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"v": 2}, "statement.v"),
        ({"v": True}, "statement.v"),
        ({"v": 1.0}, "statement.v"),
        ({"v": "1"}, "statement.v"),
        ({"v": None}, "statement.v"),
        ({"verification_id": "0197f7f0-0000-7000-8000-000000000009"}, "statement.verification_id"),
        ({"verification_id": JOB.hex}, "statement.verification_id"),
        ({"verification_id": 7}, "statement.verification_id"),
        ({"ticket_id": str(JOB)}, "statement.ticket_id"),
        ({"ticket_id": None}, "statement.ticket_id"),
        ({"criterion_key": "b2"}, "statement.criterion_key"),
        ({"criterion_key": "B1"}, "statement.criterion_key"),
        ({"criterion_key": ["b1"]}, "statement.criterion_key"),
        ({"stage": "task"}, "statement.stage"),
        ({"stage": "\ud800"}, "statement.stage"),
        ({"type": "manual_note"}, "statement.type"),
        ({"type": {}}, "statement.type"),
        ({"payload": None}, "statement.payload"),
        ({"payload": "passed"}, "statement.payload"),
        ({"payload": {**PASSED, "extra": 1}}, "statement.payload.extra"),
        ({"payload": {"command": "npm ci"}}, "statement.payload.exit_code"),
        ({"payload": {**PASSED, "exit_code": "0"}}, "statement.payload.exit_code"),
        ({"nonce": "x"}, "statement.nonce"),
        ({"signed_at": None}, "statement.signed_at"),
        ({"signed_at": 1_772_366_400}, "statement.signed_at"),
        ({"signed_at": "2026-03-01 12:00:00Z"}, "statement.signed_at"),
        ({"signed_at": "2026-03-01T12:00:00"}, "statement.signed_at"),
        ({"signed_at": "2026-02-30T12:00:00Z"}, "statement.signed_at"),
        ({"signed_at": "0001-01-01T00:00:00+14:00"}, "statement.signed_at"),
        ({"signed_at": "9999-12-31T23:59:59-14:00"}, "statement.signed_at"),
    ],
)
def test_what_does_not_match_is_named(changes: dict[str, Any], path: str) -> None:
    assert path in _faults(statement(**changes))


def test_every_fault_is_named_at_once() -> None:
    raw = statement(v=2, stage="task", criterion_key="b9", signed_at="soon", more=1, payload={})
    assert set(_faults(raw, signature=base64url(b"7" * 64))) == {
        "signature",
        "statement.v",
        "statement.criterion_key",
        "statement.stage",
        "statement.signed_at",
        "statement.more",
        "statement.payload.command",
        "statement.payload.exit_code",
    }


def test_the_rest_is_checked_though_the_key_is_unknown() -> None:
    signed, faults = _read(statement(stage="task"), pem=None)
    assert signed is None
    assert [path for path, _ in faults] == ["statement.stage"]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b'{"v":1,"v":1}', "there more than once"),
        (b'{"v":1,"\\u0076":2}', "there more than once"),
        (b'{"v":NaN}', "NaN"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"[]", "JSON object"),
        (b"", "valid JSON"),
        (b"{}{}", "valid JSON"),
        (b"\xff", "UTF-8"),
        (b"[" * 100, "levels deep"),
    ],
)
def test_its_json_is_strict(raw: bytes, told: str) -> None:
    faults = _faults(raw)
    assert told in faults["statement"]


def test_a_key_twice_is_refused_within_the_payload_too() -> None:
    raw = statement().replace(b'"exit_code":0', b'"exit_code":1,"exit_code":0')
    assert "exit_code" in _faults(raw)["statement"]


@pytest.mark.parametrize(
    ("age", "claimed_ago", "holds"),
    [
        (timedelta(0), None, True),
        (timedelta(minutes=15), None, True),
        (timedelta(minutes=15, seconds=1), None, False),
        (timedelta(minutes=40), timedelta(minutes=41), True),
        (timedelta(minutes=40), timedelta(minutes=39), False),
        (timedelta(minutes=10), timedelta(minutes=5), True),
        (timedelta(seconds=-60), None, True),
        (timedelta(seconds=-61), timedelta(minutes=1), False),
    ],
)
def test_it_is_fresh_or_signed_since_the_claim(
    age: timedelta, claimed_ago: timedelta | None, holds: bool
) -> None:
    claimed_at = None if claimed_ago is None else NOW - claimed_ago
    raw = statement(signed_at=clock.wire(NOW - age))
    _, faults = _read(raw, to=named(NOW, claimed_at))
    assert [path for path, _ in faults] == ([] if holds else ["statement.signed_at"])


def test_whole_seconds_stand_for_all_of_their_second() -> None:
    late = NOW + timedelta(minutes=30)
    raw = statement(signed_at="2026-03-01T12:00:30Z")
    assert _good(raw, named(late, claimed_at=NOW)).signed_at == NOW.replace(microsecond=0)


@pytest.mark.parametrize("signed_at", ["2026-03-01T13:00:30.123+01:00", "2026-03-01T12:00:30.5Z"])
def test_times_have_zones_and_fractions(signed_at: str) -> None:
    assert abs(_good(statement(signed_at=signed_at), named(NOW)).signed_at - NOW) < timedelta(1)


def test_der_is_told_from_raw_signatures() -> None:
    raw = statement()
    der = base64url(SIGNER.der_signature(raw))
    assert "looks like DER" in _faults(raw, signature=der)["signature"]


@pytest.mark.parametrize(
    "signature", ["", "AAAA", "=" * 86, "A" * 86 + "=", "A" * 2_000_000, 7, None]
)
def test_a_signature_is_64_bytes(signature: Any) -> None:
    told = _faults(statement(), signature=signature)["signature"]
    assert "64 bytes" in told
    assert len(told) < 200


def test_r_and_s_are_within_the_order() -> None:
    raw = statement()
    whole = SIGNER.sign(raw)
    for bad in (bytes(32), ORDER.to_bytes(32, "big")):
        for signature in (bad + whole[32:], whole[:32] + bad):
            assert "signature" in _faults(raw, signature=base64url(signature))


@pytest.mark.parametrize("text", ["e30=", "e30 ", "e3+", "AB", None, 5])
def test_a_statement_is_unpadded_base64url(text: Any) -> None:
    assert "base64url" in _faults(statement(), statement=text)["statement"]


def test_a_huge_statement_is_not_even_read() -> None:
    faults = _faults(b"", statement="A" * 2_000_000)
    assert "262,144" in faults["statement"]


def test_the_largest_payload_fits() -> None:
    payload = {
        "command": "\U0001f600" * 4_000,
        "cwd": "\U0001f600" * 4_000,
        "output_excerpt": "\U0001f600" * 4_000,
        "exit_code": 0,
    }
    raw = statement(payload=payload)
    assert len(base64url(raw)) < STATEMENT_MOST
    _good(raw)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.binary())
def test_no_bytes_break_it(raw: bytes) -> None:
    assert _faults(raw)
    assert _faults(raw, signature=base64url(raw), pem=None)


@given(st.text(), st.text())
def test_no_text_breaks_it(text: str, signature: str) -> None:
    assert _faults(b"", statement=text, signature=signature)


@given(st.sampled_from(list(json.loads(statement()))), JSON_VALUES)
def test_no_value_breaks_it(name: str, value: Any) -> None:
    said = {**json.loads(statement()), name: value}
    signed, faults = _read(json.dumps(said).encode())
    assert (signed is None) == bool(faults)


def test_what_node_signs_holds() -> None:
    """Made once by tests/data/node/attest.mjs, whose source the document for verifiers shows."""
    made = json.loads((DATA / "node" / "signed.json").read_text(encoding="utf-8"))
    key = public_key_read(made["pem"])
    at = datetime.fromisoformat(made["signed_at"])
    signed, faults = attestation_read(made["attestation"], named(at), key.pem)
    assert faults == []
    assert signed is not None
    assert signed.key == key.fingerprint
    assert signed.payload["output_excerpt"] == "añadido 12 paquetes ✓\n"
