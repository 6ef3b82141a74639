"""Keyset paging: an opaque cursor that names the last row of a page by a unique pair."""

import base64
import binascii
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from stuckbot.lib.errors import invalid_fields

LIMIT_DEFAULT = 50
LIMIT_MOST = 100


def limit_parse(text: str | None, default: int = LIMIT_DEFAULT) -> int:
    """`limit` as a number from 1 to 100; refuses anything else."""
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= LIMIT_MOST:
        raise invalid_fields([("limit", f"limit must be a whole number from 1 to {LIMIT_MOST}.")])
    return int(text)


class Place(NamedTuple):
    """Where a row stands in a list, whichever way the list is ordered."""

    rank: int
    at: datetime
    id: UUID


def cursor_make(at: datetime, row_id: UUID) -> str:
    return _b64(f"{_micros(at)}.{row_id.hex}")


def cursor_read(cursor: str) -> tuple[datetime, UUID]:
    """The pair behind a cursor; refuses text that no page ever gave out."""
    try:
        micros, hexed = _unb64(cursor).split(".")
        return _moment(micros), UUID(hexed)
    except (ValueError, OverflowError, OSError, binascii.Error) as error:
        raise bad_cursor() from error


def place_make(place: Place) -> str:
    return _b64(f"{place.rank}.{_micros(place.at)}.{place.id.hex}")


def place_read(cursor: str) -> Place:
    """The place behind a cursor; refuses text that no page ever gave out."""
    try:
        rank, micros, hexed = _unb64(cursor).split(".")
        if not rank.isascii() or not rank.isdigit() or len(rank) > 4:
            raise ValueError(rank)
        return Place(int(rank), _moment(micros), UUID(hexed))
    except (ValueError, OverflowError, OSError, binascii.Error) as error:
        raise bad_cursor() from error


def rank_make(rank: int, row_id: UUID) -> str:
    """A cursor over rows that are sorted by a rank, and by what is looked up by the id."""
    return _b64(f"{rank}.{row_id.hex}")


def rank_read(cursor: str) -> tuple[int, UUID]:
    try:
        rank, hexed = _unb64(cursor).split(".")
        if not rank.isascii() or not rank.isdigit() or len(rank) > 4:
            raise ValueError(rank)
        return int(rank), UUID(hexed)
    except (ValueError, binascii.Error) as error:
        raise bad_cursor() from error


def _micros(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000 + at.microsecond


def _moment(micros: str) -> datetime:
    moment = datetime.fromtimestamp(int(micros) // 1_000_000, tz=UTC)
    return moment.replace(microsecond=int(micros) % 1_000_000)


def mark_make(scope: str, number: int) -> str:
    """A cursor over numbered rows of one scope (an org's events)."""
    return _b64(f"{scope}:{number}")


def mark_read(cursor: str) -> tuple[str, int]:
    try:
        scope, number = _unb64(cursor).split(":")
        if not number.isascii() or not number.isdigit() or len(number) > 18:
            raise ValueError(number)
        return scope, int(number)
    except (ValueError, binascii.Error) as error:
        raise bad_cursor() from error


def bad_cursor() -> Exception:
    message = "This cursor was not made by this server. Leave it out to start from the beginning."
    return invalid_fields([("cursor", message)])


def _b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unb64(text: str) -> str:
    padded = text + "=" * (-len(text) % 4)
    return base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True).decode("ascii")
