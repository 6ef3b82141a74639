"""Is it up, and can it work: for load balancers and for `manage.py serve`."""

from datetime import UTC
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from stuckbot.lib import clock, sql


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"ok": True})


def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers too; shows how far its clock is from ours, in seconds."""
    try:
        found: dict[str, Any] = {"ok": True, "database": True, "skew_seconds": _skew()}
    except DatabaseError:
        return JsonResponse({"ok": False, "database": False}, status=503)
    return JsonResponse(found)


def _skew() -> float:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT clock_timestamp()")
        else:
            cursor.execute("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')")
        at = sql.to_time(cursor.fetchone()[0])
    assert at is not None
    return round((at.astimezone(UTC) - clock.now()).total_seconds(), 3)
