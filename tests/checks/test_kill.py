"""`kill -9` of the real checker, while it opens urls of real servers: no result lost or doubled."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.interop.on_loopback import VARIABLE
from tests.interop.server import PAST, ROOT, Server, eventually, served
from tests.outgoing.authority import Authority
from tests.outgoing.server import OK, Talk
from tests.outgoing.server import Server as TlsServer
from tests.races.processes import killed_one

NAMES = [f"h{number}.example.com" for number in range(6)]
CHECKS = 50
PATIENCE = 180.0


def _slowly(talk: Talk) -> None:
    talk.asked()
    time.sleep(0.7)
    talk.send(OK)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    addresses = {name: f"93.184.216.{number}" for number, name in enumerate(NAMES, 34)}
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(TlsServer(_slowly, authority.made(name).context()))
            for name in NAMES
        }
        network: dict[str, Any] = {
            "ca_file": str(authority.file),
            "names": {name: [address] for name, address in addresses.items()},
            "ports": {addresses[name]: one.port for name, one in servers.items()},
        }
        entry = str(Path(__file__).parents[1] / "interop/on_loopback.py")
        variables = {VARIABLE: json.dumps(network), "URL_CHECKS_PER_HOST": "off"}
        folder = tmp_path_factory.mktemp("killed")
        yield stack.enter_context(served(folder, entry=entry, **variables))


def _fill(desk: Server) -> None:
    command = [sys.executable, "-m", "tests.checks.filling", json.dumps(NAMES), str(CHECKS)]
    done = subprocess.run(command, cwd=ROOT, env=desk.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]


def _count(desk: Server, where: str, what: str = "*") -> int:
    return int(desk.database.rows(f"SELECT COUNT({what}) FROM {where}")[0][0])


def _kill(desk: Server) -> None:
    """Kills it in the middle, and lets the lease of what it held run out at once."""
    held = f"verification_urlcheck WHERE under_way AND due_at > '{PAST}'"
    assert eventually(lambda: _count(desk, held) >= 8, PATIENCE)
    assert killed_one(desk, "checker") is not None
    assert desk.database.change(f"UPDATE {held.replace(' WHERE', f' SET due_at = {PAST!r} WHERE')}")


def test_each_check_has_one_result_whatever_dies(desk: Server) -> None:
    _fill(desk)
    passed = "verification_urlcheck WHERE status = 'passed'"
    for least in (0, 10, 20):
        assert eventually(lambda least=least: _count(desk, passed) >= least, PATIENCE)  # type: ignore[misc]
        _kill(desk)
    assert eventually(lambda: _count(desk, passed) == CHECKS, PATIENCE), desk.log()[-4000:]
    told = "verification_evidence WHERE trust = 'platform_checked' AND result = 'pass'"
    assert _count(desk, told) == _count(desk, told, "DISTINCT criterion") == CHECKS
    events = "core_event WHERE type = 'evidence_added'"
    assert _count(desk, events) == CHECKS + 1  # the solver's own report
    assert _count(desk, "verification_urlcheck WHERE takes > 1") > 0
    assert _count(desk, "verification_urlcheck WHERE tries <> 1") == 0
