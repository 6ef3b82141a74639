"""Ids: UUIDv7 (RFC 9562), so that rows sort by when they were made."""

import secrets
import uuid
from datetime import UTC, datetime

from stuckbot.lib import clock

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def uuid7() -> uuid.UUID:
    """A version 7 UUID: 48 bits of milliseconds, 12 bits of the fraction below, 62 random bits."""
    moment = clock.now()
    micros = int(moment.timestamp()) * 1_000_000 + moment.microsecond
    millis, below = divmod(micros, 1000)
    value = (millis & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76 | (below * 4096 // 1000) << 64
    value |= 0x2 << 62 | secrets.randbits(62)
    return uuid.UUID(int=value)


def made_at(value: uuid.UUID) -> datetime:
    """When a version 7 UUID was made, to the millisecond below."""
    return datetime.fromtimestamp((value.int >> 80) / 1000, UTC)


def parse_uuid(text: str) -> uuid.UUID | None:
    """The UUID written as 36 characters with hyphens, in any case; None for anything else."""
    if len(text) != 36:
        return None
    try:
        value = uuid.UUID(text)
    except ValueError:
        return None
    return value if str(value) == text.lower() else None


def base62(length: int) -> str:
    """Random text of `length` characters of 0-9A-Za-z (5.95 bits each)."""
    return "".join(secrets.choice(_BASE62) for _ in range(length))


def base62_number(number: int, length: int) -> str:
    """`number` written in base 62, cut or padded on the left to `length` characters."""
    digits = []
    for _ in range(length):
        number, rest = divmod(number, 62)
        digits.append(_BASE62[rest])
    return "".join(reversed(digits))
