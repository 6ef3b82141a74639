"""Bearer tokens as text: a kind, a public part to look up, a secret, a checksum.

``sba_`` + 12 characters looked up in the table + 43 characters of secret (256 bits in base 62) +
6 of CRC-32, so that half a token or a typo is told apart without asking the database.
"""

import hashlib
import hmac
import re
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from accounts.models import Token
from accounts.states import TokenKind
from stuckbot.lib import ids

_LOOKUP: Final = 12
_SECRET: Final = 43
_CHECK: Final = 6
_SHAPE: Final = re.compile(rf"(sb[eakp])_([0-9A-Za-z]{{{_LOOKUP + _SECRET + _CHECK}}})")


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new token: the row to store, and the text that is shown once and never stored."""

    row: Token
    text: str


def token_fresh(kind: TokenKind, *, org_id: UUID, now: datetime, **bearer: Any) -> Fresh:
    """An unsaved token row with its text."""
    body = ids.base62(_LOOKUP + _SECRET)
    text = f"{kind.value}_{body}"
    text += _checksum(text)
    row = Token(
        id=ids.uuid7(),
        org_id=org_id,
        kind=kind,
        lookup=body[:_LOOKUP],
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        created_at=now,
        **bearer,
    )
    return Fresh(row, text)


def token_lookup(text: str) -> str | None:
    """The public part of a well-formed token, None for anything else."""
    match = _SHAPE.fullmatch(text)
    if match is None or _checksum(text[:-_CHECK]) != text[-_CHECK:]:
        return None
    return match[2][:_LOOKUP]


def token_matches(text: str, sha256: str) -> bool:
    return hmac.compare_digest(hashlib.sha256(text.encode()).hexdigest(), sha256)


def _checksum(text: str) -> str:
    return ids.base62_number(zlib.crc32(text.encode()), _CHECK)
