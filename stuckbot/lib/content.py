"""The content codec: free text and JSON bodies as canonical bytes, sealed at rest.

Sealing is the identity today (`key_id` is null); envelope encryption takes its place here alone.
JSON is stored as compact UTF-8 exactly as it was accepted: a database's JSON type would reorder
keys and rewrite numbers.
"""

import hashlib
import json
from typing import Any
from uuid import UUID

from stuckbot.lib import clock, ids, strict_json
from stuckbot.lib.masking import Masked, MaskedValue
from stuckbot.lib.models import Content


def seal(raw: bytes) -> tuple[bytes, str | None]:
    """The bytes to store and the id of the key that sealed them (None: plain)."""
    return raw, None


def unseal(stored: bytes | memoryview, key_id: str | None) -> bytes:
    """The bytes as they were before `seal`."""
    if key_id is not None:
        raise LookupError(f"No key {key_id} to open this content with.")
    return bytes(stored)


def prepare(
    *,
    org_id: UUID,
    kind: str,
    body: Masked | MaskedValue,
    root_id: UUID | None,
    about: UUID | None = None,
) -> Content:
    """A content row ready to insert. Only masked text and values get in.

    With the id of the ticket it is `about` it brings along what was masked in it, and the unit of
    work that stores it does not close before the ticket has kept that.
    """
    raw = body.encoded() if isinstance(body, Masked) else json_bytes(body.value)
    stored, key_id = seal(raw)
    row = Content(
        id=ids.uuid7(),
        org_id=org_id,
        root_id=root_id,
        kind=kind,
        bytes=stored,
        sha256=hashlib.sha256(raw).hexdigest(),
        key_id=key_id,
        created_at=clock.now(),
    )
    if about is not None:
        row.about, row.findings = about, body.findings
    return row


def text_of(stored: bytes | memoryview | None, key_id: str | None = None) -> str:
    """The text behind stored bytes; empty when the content was purged or never set."""
    return "" if stored is None else unseal(stored, key_id).decode()


def value_of(stored: bytes | memoryview | None, key_id: str | None = None) -> Any:
    """The JSON value behind stored bytes; None when the content was purged or never set."""
    return None if stored is None else json.loads(unseal(stored, key_id))


def json_bytes(value: Any) -> bytes:
    """Compact UTF-8 JSON, keys in the order given."""
    return strict_json.dumps(value)
