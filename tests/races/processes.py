"""The server's processes as an operator's `kill -9` finds them."""

import os
import random
import signal
import threading
import time
from pathlib import Path

from tests.interop.server import Server

KINDS = ("web worker", "task process", "web arbiter", "task guard")


class Killer:
    """Kills one part of the server after another, at random moments, while the block lasts."""

    def __init__(
        self,
        server: Server,
        *,
        seed: int,
        longest_pause: float,
        kinds: tuple[str, ...] = KINDS,
    ) -> None:
        self.killed: list[str] = []
        self._server = server
        self._random = random.Random(seed)
        self._longest_pause = longest_pause
        self._kinds = kinds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_details: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._random.uniform(0.05, self._longest_pause)):
            kind = self._kinds[len(self.killed) % len(self._kinds)]
            if kill(self._server, kind, self._random):
                self.killed.append(kind)


def kill(server: Server, kind: str, chance: random.Random) -> bool:
    """`kill -9` of one process of that kind; False while there is none."""
    pids = parts(server)[kind]
    if not pids:
        return False
    try:
        os.kill(chance.choice(pids), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def killed_one(server: Server, kind: str) -> int | None:
    """`kill -9` of the first process of that kind; its id, once it is gone."""
    pids = parts(server)[kind]
    if not pids:
        return None
    os.kill(pids[0], signal.SIGKILL)
    while pids[0] in parts(server)[kind]:
        time.sleep(0.01)
    return pids[0]


def parts(server: Server) -> dict[str, list[int]]:
    """Process ids by kind. The web side is the one that kept the listening socket."""
    assert server.process is not None
    web = [pid for pid in _children(server.process.pid) if _listens(pid, server.port)]
    others = [pid for pid in _children(server.process.pid) if pid not in web]
    checks = [pid for pid in others if _is_named(pid, "stuckbot checks")]
    tasks = [pid for pid in others if pid not in checks]
    return {
        "web arbiter": web,
        "web worker": [child for pid in web for child in _children(pid)],
        "task guard": tasks,
        "task process": [child for pid in tasks for child in _children(pid)],
        "checker": checks,
    }


def _children(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(child) for child in listed.split()]


def _is_named(pid: int, name: str) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip() == name
    except OSError:
        return False


def _listens(pid: int, port: int) -> bool:
    """Whether the process holds the socket on which the server listens."""
    local = f"0100007F:{port:04X}"
    table = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in table if row[1] == local and row[3] == "0A"}
    try:
        held = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return False
    return bool(sockets & set(held))
