"""What has to be true before anything is served: a database, its tables, the static files."""

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import structlog
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.executor import MigrationExecutor

Say = Callable[[str], None]

DATABASE_PATIENCE = 300.0
_LOCK_NUMBER = 7_305_804_402_558_038_643  # any number that only this program uses


def wait_for_database(say: Say) -> None:
    """Return once the database answers; give up after five minutes."""
    until = time.monotonic() + DATABASE_PATIENCE
    said = ""
    while True:
        try:
            connection.ensure_connection()
            return
        except OperationalError as error:
            reason = " ".join(str(error).split())
            if time.monotonic() > until:
                raise CommandError(f"The database does not answer: {reason}") from None
            if reason != said:
                say(f"Waiting for the database: {reason}")
                said = reason
            connection.close()
            time.sleep(1)


def prepare_database(say: Say) -> None:
    """Bring the tables up to date; of several servers that start at once one does it."""
    with _only_one():
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            say(f"Bringing the database up to date: {len(plan)} migrations.")
            call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)


@contextmanager
def _only_one() -> Iterator[None]:
    if connection.vendor != "postgresql":
        with _locked(Path(f"{settings.DATABASES['default']['NAME']}.starting")):
            yield
        return
    with connection.cursor() as cursor:
        # A migration of a large table may take longer than any request is allowed to.
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK_NUMBER])
    try:
        yield
    finally:
        connection.close()  # ends the session, and with it the lock and both settings


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def collect_static() -> None:
    """Copy, hash and compress the static files when any of them is not the one last collected."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    wanted = _static_fingerprint()
    with _locked(Path(f"{settings.STATIC_ROOT}.starting")):
        if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
            return
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(wanted, encoding="ascii")


def warm_up(application: WSGIHandler) -> None:
    """Answer a few requests here, so that what they load is loaded once and shared by fork."""
    for path in settings.WARM_UP_PATHS:
        environ: dict[str, Any] = {"PATH_INFO": path, "HTTP_HOST": "localhost"}
        setup_testing_defaults(environ)
        response = application(environ, _ignore_start)
        response.close()
    structlog.contextvars.clear_contextvars()
    connections.close_all()


def _ignore_start(*_args: object) -> Callable[[bytes], object]:
    return lambda _data: None


def _static_fingerprint() -> str:
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(None):
            status = Path(storage.path(name)).stat()
            digest.update(f"{name}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
