"""Keys of an org's own verifiers: added and revoked by its owner and admins."""

from datetime import datetime
from typing import Final

from accounts.names import names_check
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.rows import rows_insert
from stuckbot.lib.unit import unit_of_work
from verification.models import VerifierKey
from verification.signing import KeyRefused, PublicKey, public_key_read

ADMINS_ONLY: Final = "Only an owner or admin can add or revoke the keys of verifiers."
REVOKED: Final = (
    "This key was revoked, for good. Make a new pair with stuckbot-verify keygen and add that one."
)


def key_add(
    *,
    actor: Caller,
    name: str,
    pem: str,
    now: datetime,
    operator: str = "",
    keep: Keep | None = None,
) -> VerifierKey:
    """Trusts what this key signs from now on. A key that is there already stays as it is.

    422 names every fault; a private key is refused as one that leaked, and is kept nowhere.
    """
    _allow(actor, operator)
    key = _checked(name, pem)
    row = VerifierKey(
        id=ids.uuid7(),
        org_id=actor.org_id,
        name=name.strip(),
        pem=key.pem,
        fingerprint=key.fingerprint,
        added_by_id=actor.id,
        added_at=now,
    )
    with unit_of_work(actor, now, keep) as unit:
        rows_insert(row, ignore_conflicts=True)
        kept = VerifierKey.objects.of(actor.org_id).get(fingerprint=key.fingerprint)
        if kept.revoked_at is not None:
            raise Conflict(REVOKED)
        if kept.id == row.id:
            unit.audit(
                "verifier_key_added", str(row.id), fingerprint=key.fingerprint, **_by(operator)
            )
        unit.result = kept
    return kept


def key_revoke(
    *,
    actor: Caller,
    fingerprint: str,
    now: datetime,
    operator: str = "",
    keep: Keep | None = None,
) -> VerifierKey:
    """Takes nothing more that this key signs. What it signed stays, marked with the revoking."""
    _allow(actor, operator)
    with unit_of_work(actor, now, keep) as unit:
        keys = VerifierKey.objects.of(actor.org_id).filter(fingerprint=fingerprint.strip().lower())
        if keys.filter(revoked_at=None).update(revoked_at=now, revoked_by_id=actor.id):
            unit.audit("verifier_key_revoked", str(keys.get().id), **_by(operator))
        row = keys.first()
        if row is None:
            raise Missing("There is no verifier key of that fingerprint. Check the fingerprint.")
        unit.result = row
    return row


def _allow(actor: Caller, operator: str) -> None:
    if not (actor.is_admin or operator or actor.kind == "system"):
        raise Forbidden(ADMINS_ONLY)


def _by(operator: str) -> dict[str, str]:
    return {"operator": operator} if operator else {}


def _checked(name: str, pem: str) -> PublicKey:
    """The key, or every fault of name and key at once."""
    faults = []
    key = None
    try:
        key = public_key_read(pem)
    except KeyRefused as refused:
        faults.append(("pem", str(refused)))
    names_check([("name", name)], faults)
    assert key is not None  # its fault was raised
    return key
