"""What a verifier signed: the statement's bytes, what they must say, and when. Pure."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from stuckbot.lib import ids
from stuckbot.lib.strict_json import BadJSON, loads, shown_key
from verification.payloads import payload_faults
from verification.signing import SIGNATURE_BYTES, base64url_decode, signature_holds

Faults = Iterator[tuple[str, str]]

#: Characters of base64url: room for every payload there may be, all of it in JSON's escapes.
STATEMENT_MOST: Final = 262_144
SIGNATURE_CHARACTERS: Final = 86
#: How long a result may take to arrive, where its verifier does not hold the job since.
AGE_MOST: Final = timedelta(minutes=15)
#: How far ahead of ours a verifier's clock may be.
AHEAD_MOST: Final = timedelta(seconds=60)
FIELDS: Final = (
    *("v", "verification_id", "ticket_id", "criterion_key"),
    *("stage", "type", "payload", "signed_at"),
)

_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)", re.ASCII
)
_ENCODING: Final = "statement must be the signed bytes in base64url without padding."


@dataclass(frozen=True, slots=True)
class Named:
    """What a statement must name, and the times that bound its own."""

    verification_id: UUID
    ticket_id: UUID
    criterion_key: str
    stage: str
    type: str
    now: datetime
    claimed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """A statement that holds: `statement` and `signature` in base64url, as they came."""

    key: str
    payload: dict[str, Any]
    statement: str
    statement_sha256: str
    signature: str
    signed_at: datetime


def attestation_read(
    sent: Mapping[str, Any], named: Named, pem: str | None
) -> tuple[Signed | None, list[tuple[str, str]]]:
    """The signed result, or every fault with its path below the attestation: `statement.stage`.

    Without a `pem`, for a key that is not ours to trust, the rest is still checked.
    """
    raw, faults = _raw(sent.get("statement"))
    faults += _signature_faults(sent.get("signature"), raw, pem)
    value, found = _value(raw)
    faults += found
    if value is not None:
        faults += _statement_faults(value, named)
    if faults or raw is None or value is None:
        return None, _one_a_path(faults)
    signed = Signed(
        key=str(sent.get("key")),
        payload=value["payload"],
        statement=str(sent["statement"]),
        statement_sha256=hashlib.sha256(raw).hexdigest(),
        signature=str(sent["signature"]),
        signed_at=_time(value["signed_at"]) or named.now,
    )
    return signed, []


def _one_a_path(faults: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for path, message in faults:
        found.setdefault(path, message)
    return list(found.items())


def _raw(statement: Any) -> tuple[bytes | None, list[tuple[str, str]]]:
    if not isinstance(statement, str):
        return None, [("statement", _ENCODING)]
    if len(statement) > STATEMENT_MOST:
        told = f"statement may have {STATEMENT_MOST:,} characters at most. Shorten the excerpt."
        return None, [("statement", told)]
    raw = base64url_decode(statement)
    return raw, [("statement", _ENCODING)] if raw is None else []


def _signature_faults(signature: Any, raw: bytes | None, pem: str | None) -> Faults:
    short = isinstance(signature, str) and len(signature) <= 2 * SIGNATURE_CHARACTERS
    decoded = base64url_decode(signature) if short else None
    if decoded is None or len(decoded) != SIGNATURE_BYTES:
        der = decoded is not None and decoded[:1] == b"\x30"
        told = " It looks like DER: write r and s one after the other, 32 bytes each."
        yield (
            "signature",
            f"signature must be {SIGNATURE_BYTES} bytes, r and s, in base64url without padding."
            + (told if der else ""),
        )
    elif raw is not None and pem is not None and not signature_holds(pem, raw, decoded):
        yield "signature", "The signature is not one of this key over this statement's bytes."


def _value(raw: bytes | None) -> tuple[dict[str, Any] | None, list[tuple[str, str]]]:
    if raw is None:
        return None, []
    try:
        value = loads(raw)
    except BadJSON as error:
        return None, [("statement", f"In the statement: {error.message}")]
    if not isinstance(value, dict):
        return None, [("statement", "The statement must be a JSON object.")]
    return value, []


def _statement_faults(value: dict[str, Any], named: Named) -> Faults:
    for name in FIELDS:
        if name not in value:
            yield f"statement.{name}", f"Add {name} to the statement and sign it anew."
    for name in value:
        if name not in FIELDS:
            shown = shown_key(name)
            yield f"statement.{shown}", f"There is no field {shown} in a statement. Remove it."
    if "v" in value and not _is_one(value["v"]):
        yield "statement.v", "v must be 1: the version of statements that this desk knows."
    yield from _name_faults(value, named)
    yield from _time_faults(value, named)
    yield from _payload_faults(value)


def _is_one(value: Any) -> bool:
    return type(value) is int and value == 1


def _name_faults(value: dict[str, Any], named: Named) -> Faults:
    for name in ("verification_id", "ticket_id"):
        wanted: Any = getattr(named, name)
        if name in value and _id(value[name]) != wanted:
            yield f"statement.{name}", f"{name} must be {wanted}, that of this job."
    for name in ("criterion_key", "stage", "type"):
        wanted = getattr(named, name)
        if name in value and value[name] != wanted:
            yield f"statement.{name}", f"{name} must be {wanted}, as in this decision."


def _id(value: Any) -> UUID | None:
    return ids.parse_uuid(value) if isinstance(value, str) else None


def _time_faults(value: dict[str, Any], named: Named) -> Faults:
    if "signed_at" not in value:
        return
    at = _time(value["signed_at"])
    if at is None:
        yield "statement.signed_at", "signed_at must be a time like 2026-03-01T12:00:00Z."
    elif at > named.now + AHEAD_MOST:
        yield "statement.signed_at", "signed_at is ahead of this desk's clock. Set the verifier's."
    elif at < named.now - AGE_MOST and not _since_claim(at, named):
        yield (
            "statement.signed_at",
            "This was signed more than 15 minutes ago, and before the job was taken. Run the check"
            " again and sign what it says now.",
        )


def _since_claim(at: datetime, named: Named) -> bool:
    """A time in whole seconds stands for all of its second."""
    claimed = named.claimed_at
    return claimed is not None and at >= claimed.replace(microsecond=0)


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def _payload_faults(value: dict[str, Any]) -> Faults:
    if "payload" not in value or not isinstance(value.get("type"), str):
        return
    for fault in payload_faults(value["type"], value["payload"]):
        yield f"statement.{fault.path}", fault.message
