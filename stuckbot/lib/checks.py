"""System checks: what an operator should know before users find out."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Info, Tags, Warning, register
from django.db import connection

# SQLite's WAL file could, rarely, be reset under a reader and lose committed pages.
WAL_RESET_FROM = (3, 7, 0)
WAL_RESET_UNTIL = (3, 51, 2)


@register(Tags.database)
def sqlite_version(
    app_configs: Sequence[AppConfig] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if connection.vendor != "sqlite":
        return []
    if not WAL_RESET_FROM <= sqlite3.sqlite_version_info <= WAL_RESET_UNTIL:
        return []
    return [
        Info(
            f"SQLite {sqlite3.sqlite_version} can, very rarely, damage a database in WAL mode.",
            hint="Fixed in 3.51.3. Keep backups made with `sqlite3 FILE '.backup COPY'`, never cp.",
            id="stuckbot.I001",
        )
    ]


@register(Tags.security, deploy=True)
def proxy_is_named(
    app_configs: Sequence[AppConfig] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if not settings.PUBLIC_URL.startswith("https://") or settings.TRUSTED_PROXIES:
        return []
    return [
        Warning(
            "PUBLIC_URL is https, but no proxy is trusted to say that a request came by TLS.",
            hint="Set TRUSTED_PROXIES to the number of proxies in front of the desk.",
            id="stuckbot.W001",
        )
    ]
