"""The real server in processes of its own, with a database of its own, for tests from outside.

On SQLite unless DATABASE_URL names PostgreSQL; then each server gets a fresh database there. Its
tables are copied from one that each test process makes once.
"""

import atexit
import contextlib
import functools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import psycopg

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
#: The newest release of the public client, and those before it.
NEWEST = "0.5.0"
RELEASES = ("0.1.1", "0.1.2", "0.1.3", "0.2.0", "0.3.0", "0.4.0", NEWEST)
PROGRAMS = Path(__file__).resolve().parent / "programs"
#: A busy machine takes a minute to make all tables.
PATIENCE = 240.0
#: As the server writes it on SQLite, where times are texts that are compared as such.
PAST = "2020-01-01 00:00:00"
LEASE_COLUMNS = ("lease_until", "live_until", "offer_at")


@dataclass
class Database:
    """Raw access to the server's database, beside the server: for what no caller may do."""

    url: str

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite")

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a query; its placeholders are none, so that it runs on either database."""
        with self._open() as connection:
            return [tuple(row) for row in connection.execute(statement).fetchall()]

    def change(self, statement: str) -> int:
        with self._open() as connection:
            return int(connection.execute(statement).rowcount)

    def leases_run_out(self, where: str = "claim_id IS NOT NULL") -> int:
        """Sets the end of leases back, since no policy makes one short enough to wait for."""
        columns = ", ".join(f"{name} = '{PAST}'" for name in LEASE_COLUMNS)
        return self.change(f"UPDATE tickets_ticket SET {columns} WHERE {where}")

    @contextlib.contextmanager
    def writers_held(self) -> Iterator[None]:
        """No other process commits an event while the block lasts."""
        lock = "BEGIN IMMEDIATE" if self.is_sqlite else "SELECT * FROM core_orgclock FOR UPDATE"
        with self._open() as connection:
            connection.execute(lock)
            yield

    @contextlib.contextmanager
    def _open(self) -> Iterator[Any]:
        if self.is_sqlite:
            file = sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=30)
            with contextlib.closing(file), file:
                yield file
        else:
            with psycopg.connect(self.url) as connection:
                yield connection


@dataclass
class Running:
    """A program under way; `result` waits for it."""

    process: "subprocess.Popen[str]"
    name: str

    def result(self, seconds: float = PATIENCE) -> Any:
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
        assert self.process.returncode == 0, f"{self.name} failed:\n{err[-4000:]}"
        return json.loads(out)


@dataclass
class Server:
    folder: Path
    database: Database
    port: int
    environment: dict[str, str]
    org: dict[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None
    #: What serves; a test may put something of its own before it.
    entry: str = "manage.py"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log_file(self) -> Path:
        return self.folder / "serve.log"

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    def bootstrap(self) -> None:
        command = ["bootstrap", "--org", "Acme", "--email", "alice@localhost", "--json"]
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        self.org = json.loads(done.stdout.splitlines()[-1])

    def start(self, *options: str) -> None:
        before = len(self.log()) if self.log_file.exists() else 0
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, self.entry, "serve", "--port", str(self.port), *options],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        ready = f"StuckBot is serving on {self.url}"
        assert eventually(lambda: ready in self.log()[before:] or self._is_over(), PATIENCE), (
            self.log()
        )
        assert not self._is_over(), self.log()

    def _is_over(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def stop(self) -> int:
        """Ends it as an operator does; returns the exit code."""
        assert self.process is not None
        self.process.terminate()
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def begin(self, program: str, release: str = NEWEST, **ask: Any) -> Running:
        """Starts `file.function` of the programs, with the public client and without the project."""
        process = subprocess.Popen(
            [sys.executable, str(PROGRAMS / "run.py"), program],
            cwd=self.folder,
            env=self._programs_environment(release),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        _hand_over(process.stdin, ask)
        process.stdin = None
        return Running(process, program)

    def run(self, program: str, release: str = NEWEST, **ask: Any) -> Any:
        return self.begin(program, release, **ask).result()

    def _programs_environment(self, release: str) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(client_of(release)),
            "STUCKBOT_URL": self.url,
            "STUCKBOT_ENROLL": self.org["enrollment_secret"],
        }


def client_of(release: str) -> Path:
    """Where `make interop-client` put a release of the public client."""
    folder = ROOT / "var" / ("interop" if release == NEWEST else f"interop-{release}")
    assert folder.is_dir(), "The public client is missing: run `make interop-client`."
    return folder


def _hand_over(pipe: IO[str], ask: dict[str, Any]) -> None:
    # In a thread: a pipe holds 64 KB, and the program may take its time to start reading.
    def write() -> None:
        with pipe:
            json.dump(ask, pipe)

    threading.Thread(target=write, daemon=True).start()


@contextlib.contextmanager
def served(
    folder: Path, *options: str, entry: str = "manage.py", **variables: str
) -> Iterator[Server]:
    """A server with one org, stopped when the block ends, its database gone with it."""
    port = free_port()
    with _database(folder, port) as database:
        environment = os.environ | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": database.url,
            "PUBLIC_URL": f"http://127.0.0.1:{port}",
            **variables,
        }
        server = Server(folder, database, port, environment, entry=entry)
        server.bootstrap()
        try:
            server.start(*options)
            yield server
        finally:
            if server.process is not None:
                server.stop()
            shutil.rmtree(folder / "static", ignore_errors=True)


@contextlib.contextmanager
def _database(folder: Path, port: int) -> Iterator[Database]:
    outer = os.environ.get("DATABASE_URL", "")
    if not outer.startswith("postgres"):
        file = folder / "desk.sqlite3"
        shutil.copy(_tables_file(), file)
        yield Database(f"sqlite:///{file}")
        return
    name = f"desk_{os.getpid()}_{port}"
    like = _tables_database(outer)
    with psycopg.connect(outer, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{like}"'.encode())
        try:
            yield Database(_named(outer, name))
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@functools.cache
def _tables_file() -> Path:
    """All tables and nothing in them: making them takes longer than the tests of a module."""
    folder = Path(tempfile.mkdtemp(prefix="desk-tables-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / "desk.sqlite3"
    _migrate(f"sqlite:///{file}", folder)
    return file


@functools.cache
def _tables_database(outer: str) -> str:
    name = f"desk_tables_{os.getpid()}"
    with psycopg.connect(outer, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    with tempfile.TemporaryDirectory(prefix="desk-tables-") as folder:
        _migrate(_named(outer, name), Path(folder))
    atexit.register(_drop, outer, name)
    return name


def _drop(outer: str, name: str) -> None:
    with psycopg.connect(outer, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def _named(outer: str, name: str) -> str:
    return urlsplit(outer)._replace(path=f"/{name}").geturl()


def _migrate(url: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=os.environ | {"DATA_DIR": str(folder), "DATABASE_URL": url},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def eventually(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
