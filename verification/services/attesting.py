"""Signed results of a decision: checked before anything is written, kept beside their evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from stuckbot.lib.caller import Caller
from stuckbot.lib.clock import wire
from stuckbot.lib.content import value_of
from stuckbot.lib.errors import Stale
from verification.models import Attestation, Evidence, Verification, VerifierKey
from verification.statements import Named, Signed, attestation_read
from verification.states import Result, Trust

UNKNOWN: Final = (
    "This desk has no verifier key of that fingerprint. An owner or admin adds it under Policy."
)
REPLAYED: Final = "This statement was sent before. Run the check again and sign what it says now."
OTHER_PAYLOAD: Final = "payload is not what was signed. Leave it out: the statement has it."


class Offered(Protocol):
    """A piece of evidence of a decision, as far as its signature goes."""

    @property
    def criterion(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any] | None: ...
    @property
    def attestation(self) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class Attested:
    """A result whose signature holds; its `signed.payload` is the evidence."""

    key_id: UUID
    signed: Signed


def signed_evidence(
    *, actor: Caller, job: Verification, sent: Sequence[Offered], now: datetime
) -> tuple[list[Attested | None], list[tuple[str, str]]]:
    """For each piece of evidence what was signed, None where nothing was; and every fault, with
    its path in the request: `evidence[0].attestation.statement.stage`.

    Two statements, however much was sent; none where nothing was signed.
    """
    attestations = [one.attestation for one in sent if one.attestation is not None]
    if not attestations:
        return [None] * len(sent), []
    keys = _keys(actor.org_id, {str(one.get("key")).lower() for one in attestations})
    found: list[Attested | None] = []
    faults: list[tuple[str, str]] = []
    for place, one in enumerate(sent):
        attested, wrong = _read(one, _named(actor, job, one, now), keys)
        found.append(attested)
        faults += [(f"evidence[{place}].{path}", message) for path, message in wrong]
    return found, faults + _replays(actor.org_id, found)


def evidence_sign(evidence: Evidence, attested: Attested) -> None:
    """Keeps with judged evidence who signed it, to be stored along. Of a statement in which masking
    changed something only the hash is kept.

    The label follows for what passed or failed: a signature does not do what waits for a person or
    for a check of the desk's own.
    """
    signed, content = attested.signed, evidence.content
    is_whole = value_of(content.bytes, content.key_id) == signed.payload
    evidence.signed = Attestation(
        evidence_id=evidence.id,
        org_id=evidence.org_id,
        key_id=attested.key_id,
        statement=signed.statement if is_whole else None,
        statement_sha256=signed.statement_sha256,
        signature=signed.signature,
        signed_at=signed.signed_at,
    )
    if evidence.result in (Result.PASS, Result.FAIL):
        evidence.trust = Trust.CUSTOMER_VERIFIED


def keys_recheck(org_id: UUID, evidence: Iterable[Evidence]) -> None:
    """Inside the transaction: `Stale` when a key was revoked since its signature was checked.
    Whoever revokes one waits until the transaction ends."""
    wanted = {one.signed.key_id for one in evidence if one.signed is not None}
    if not wanted:
        return
    keys = VerifierKey.objects.of(org_id).select_for_update(no_key=True)
    if len(keys.filter(id__in=wanted, revoked_at=None).values_list("id")) != len(wanted):
        raise Stale


def _keys(org_id: UUID, fingerprints: set[str]) -> dict[str, VerifierKey]:
    rows = VerifierKey.objects.of(org_id).filter(fingerprint__in=fingerprints)
    return {row.fingerprint: row for row in rows}


def _named(actor: Caller, job: Verification, one: Offered, now: datetime) -> Named:
    held = job.claimed_by_id == actor.id
    return Named(
        verification_id=job.id,
        ticket_id=job.ticket_id,
        criterion_key=one.criterion,
        stage=job.stage,
        type=one.type,
        now=now,
        claimed_at=job.claimed_at if held else None,
    )


def _read(
    one: Offered, named: Named, keys: Mapping[str, VerifierKey]
) -> tuple[Attested | None, list[tuple[str, str]]]:
    if one.attestation is None:
        return None, []
    key = keys.get(str(one.attestation.get("key")).lower())
    faults = []
    if key is None:
        faults.append(("attestation.key", UNKNOWN))
    elif key.revoked_at is not None:
        told = f"This key was revoked at {wire(key.revoked_at)}. Sign with one that is in use."
        faults.append(("attestation.key", told))
    signed, wrong = attestation_read(one.attestation, named, key.pem if key else None)
    faults += [(f"attestation.{path}", message) for path, message in wrong]
    if signed is not None and one.payload is not None and one.payload != signed.payload:
        faults.append(("payload", OTHER_PAYLOAD))
    if faults or signed is None or key is None:
        return None, faults
    return Attested(key.id, signed), []


def _replays(org_id: UUID, found: Sequence[Attested | None]) -> list[tuple[str, str]]:
    hashes = {one.signed.statement_sha256 for one in found if one is not None}
    known = Attestation.objects.of(org_id).filter(statement_sha256__in=hashes)
    seen = set(known.values_list("statement_sha256", flat=True)) if hashes else set()
    faults = []
    for place, one in enumerate(found):
        if one is None:
            continue
        if one.signed.statement_sha256 in seen:
            faults.append((f"evidence[{place}].attestation.statement", REPLAYED))
        seen.add(one.signed.statement_sha256)
    return faults
