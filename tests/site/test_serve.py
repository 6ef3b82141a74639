"""``manage.py serve`` as an operator sees it: it starts, survives, stops, and leaves nothing."""

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
#: A busy machine takes a minute to make all tables.
PATIENCE = 240.0
QUEUE_MKDIR = """
import sys, django
django.setup()
from django_q.tasks import async_task
async_task("os.mkdir", sys.argv[1])
"""


@dataclass
class Server:
    port: int
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    _more: "queue.Queue[str | None]" = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._more.put(line)
        self._more.put(None)

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + PATIENCE
        while not any(text in line for line in self.lines):
            line = self._more.get(timeout=max(0.01, until - time.monotonic()))
            assert line is not None, f"{text!r} never came:\n{''.join(self.lines)}"
            self.lines.append(line)

    def is_well(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as got:
                return bool(got.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def children(self, pid: int | None = None) -> list[int]:
        return _children(self.process.pid if pid is None else pid)

    def tree(self) -> list[int]:
        pids = [self.process.pid]
        for pid in pids:
            pids.extend(_children(pid))
        return pids


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        return [int(child) for child in listed.read_text(encoding="ascii").split()]
    except OSError:
        return []


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _eventually(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {
        "DATA_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder}/desk.sqlite3",
        "DJANGO_SETTINGS_MODULE": "stuckbot.settings",
    }


def _queue_mkdir(folder: Path, made: Path) -> None:
    command = [sys.executable, "-c", QUEUE_MKDIR, str(made)]
    subprocess.run(command, cwd=ROOT, env=_environment(folder), check=True)


def _start(folder: Path, port: int, **variables: str) -> Server:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        cwd=ROOT,
        env=_environment(folder) | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Server(port, process)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for the module: the tables are made once."""
    return tmp_path_factory.mktemp("serve")


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    started = _start(folder, free_port())
    try:
        started.wait_for(f"StuckBot is serving on http://127.0.0.1:{started.port}")
        yield started
    finally:
        started.process.kill()
        started.process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_clean_when_asked(server: Server, number: signal.Signals) -> None:
    assert _eventually(lambda: len(server.tree()) >= 7)  # the worker's processes come last
    tree = server.tree()
    server.process.send_signal(number)
    assert server.process.wait(timeout=60) == 0
    # What is below the children dies with them; on a busy machine a moment later.
    assert _eventually(lambda: not any(_is_alive(pid) for pid in tree), 10)
    assert not server.is_well()


def test_it_leaves_nothing_when_the_parent_is_killed(server: Server) -> None:
    tree = server.tree()
    server.process.kill()
    server.process.wait()
    assert _eventually(lambda: not any(_is_alive(pid) for pid in tree))
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", server.port))


@pytest.mark.parametrize("place", [0, 1], ids=["web", "worker"])
def test_it_starts_a_killed_child_again(server: Server, place: int) -> None:
    child = server.children()[place]
    assert _eventually(lambda: len(_children(child)) >= 2)
    below = _children(child)
    os.kill(child, signal.SIGKILL)
    assert _eventually(lambda: not any(_is_alive(pid) for pid in [child, *below]))
    assert _eventually(lambda: len(server.children()) == 2)
    assert _eventually(server.is_well)
    assert server.process.poll() is None


def test_it_starts_a_killed_web_process_again(server: Server) -> None:
    web = server.children()[0]
    assert _eventually(lambda: len(_children(web)) == 2)
    killed = _children(web)[0]
    os.kill(killed, signal.SIGKILL)
    assert _eventually(lambda: not _is_alive(killed) and len(_children(web)) == 2)
    assert _eventually(server.is_well)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_it_goes_on_with_tasks_whatever_task_process_is_killed(
    server: Server, folder: Path, tmp_path: Path, place: int
) -> None:
    assert _eventually(lambda: len(_children(server.children()[1])) == 3)
    os.kill(_children(server.children()[1])[place], signal.SIGKILL)
    _queue_mkdir(folder, tmp_path / "made")
    assert _eventually((tmp_path / "made").is_dir)


def test_it_says_in_one_line_that_the_port_is_taken(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = _start(folder, port)
        refused.wait_for(f"Cannot listen on 127.0.0.1:{port}: Address already in use.")
        assert refused.process.wait(timeout=60) == 1
    assert len(refused.lines) == 1


def _start_two(folder: Path, **variables: str) -> None:
    pair = [_start(folder, free_port(), **variables) for _ in range(2)]
    try:
        for server in pair:
            server.wait_for("StuckBot is serving on ")
        for server in pair:
            server.process.terminate()
            assert server.process.wait(timeout=60) == 0
    finally:
        for server in pair:
            server.process.kill()


def test_it_starts_twice_at_once_on_an_empty_database(tmp_path: Path) -> None:
    _start_two(tmp_path)


@pytest.mark.postgres
def test_it_starts_twice_at_once_on_an_empty_postgres(tmp_path: Path) -> None:
    cluster = os.environ["DATABASE_URL"]
    name = f"serve_{os.getpid()}"
    with psycopg.connect(cluster, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    try:
        _start_two(tmp_path, DATABASE_URL=cluster.rpartition("/")[0] + f"/{name}")
    finally:
        with psycopg.connect(cluster, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_it_stops_clean_while_it_waits_for_the_database(tmp_path: Path) -> None:
    nowhere = f"postgres://desk@127.0.0.1:{free_port()}/desk"
    waiting = _start(tmp_path, free_port(), DATABASE_URL=nowhere)
    waiting.wait_for("Waiting for the database: ")
    waiting.process.terminate()
    assert waiting.process.wait(timeout=60) == 0
