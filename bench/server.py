"""The server that is measured: `manage.py serve` itself, in processes of its own."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    pid: int
    port: int

    def tree(self) -> list[int]:
        """The ids of all processes, the first one's own among them."""
        found = [self.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += [int(one) for one in children.read_text().split()]
        return found

    def cpu(self) -> float:
        """Seconds of CPU that the server, and its sessions on PostgreSQL, have used so far; those
        that ended among them."""
        sessions, postmaster = _sessions()
        living = sum(_cpu(pid) for pid in [*self.tree(), *sessions])
        return living + _cpu_ended(self.pid) + (_cpu_ended(postmaster) if postmaster else 0.0)

    def memory(self) -> int:
        """Proportional set size of the tree in bytes: pages that are shared count once."""
        return sum(_memory(pid) for pid in self.tree())


@contextmanager
def serving(workers: int) -> Iterator[Server]:
    """Serves the bench's settings on a free port until the block ends."""
    port = _free_port()
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--workers", str(workers)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "serving on" in line:
                break
        yield Server(process.pid, port)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _sessions() -> tuple[list[int], int | None]:
    """The server's sessions on PostgreSQL, and the process whose children they are."""
    if connection.vendor != "postgresql":
        return [], None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_backend_pid(), ARRAY(SELECT pid FROM pg_stat_activity"
            " WHERE application_name = 'stuckbot' AND pid <> pg_backend_pid())"
        )
        own, found = cursor.fetchone()
    return found, int(_fields(own)[1])


def _cpu(pid: int) -> float:
    try:
        used = _fields(pid)[11:13]
    except FileNotFoundError:
        return 0.0
    return sum(map(int, used)) / _TICKS


def _cpu_ended(pid: int) -> float:
    """Of the children of a process that are no more."""
    return sum(map(int, _fields(pid)[13:15])) / _TICKS


def _fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _memory(pid: int) -> int:
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def settle(seconds: float = 1.0) -> None:
    time.sleep(seconds)
