"""What hand-written SQL needs to run on SQLite and PostgreSQL alike."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection


def uuid(value: UUID | None) -> Any:
    """A UUID as a parameter: SQLite keeps it as 32 hex digits."""
    if value is None:
        return None
    return value if connection.vendor == "postgresql" else value.hex


def at(value: datetime) -> Any:
    """A time as a parameter: SQLite keeps UTC without a zone."""
    return connection.ops.adapt_datetimefield_value(value)


def to_uuid(value: Any) -> UUID | None:
    if value is None or isinstance(value, UUID):
        return value
    return UUID(value)


def to_time(value: Any) -> datetime | None:
    if value is None:
        return None
    found = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def to_json(value: Any) -> Any:
    """JSON columns come as text from a hand-written statement."""
    return json.loads(value) if isinstance(value, str | bytes) else value
