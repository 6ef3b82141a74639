"""`stuckbot-runner` on a machine of its own: config, repository, and sessions that a script plays."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.interop.server import PATIENCE, Server, client_of, eventually
from tests.interop.verifying import Caller, agent, manage
from tests.support import make_package

#: Those that have a runner.
RELEASES = ("0.3.0", "0.4.0", "0.5.0")
COMMAND = "test -f fixed.txt"
FIX = "echo fixed > fixed.txt"
SOLVED = {"outcome": "solved", "summary": "Wrote the file that was missing."}

# What an AI session would do, as its profile's environment says.
_SESSION = """#!/bin/sh
cd "$1" || exit 1
eval "$DO"
printf '%s' "$RESULT" > "$2"
"""


@dataclass(frozen=True)
class Plan:
    """A provider whose sessions run these shell words and leave that result."""

    do: str
    result: dict[str, Any] = field(default_factory=lambda: dict(SOLVED))
    name: str = "script"

    def profile(self, program: Path) -> dict[str, Any]:
        return {
            "name": self.name,
            "adapter": "command",
            "program": str(program),
            "args": ["{work}", "{result_file}"],
            "model": "scripted-1",
            "max_usd_per_session": 1,
            "price_per_mtok": {"input": 1, "output": 1},
            "env": {"DO": self.do, "RESULT": json.dumps(self.result)},
        }


@dataclass
class Machine:
    """One machine with a runner; its label keeps it from the tickets of other tests."""

    server: Server
    folder: Path
    plans: tuple[Plan, ...] = (Plan(FIX),)
    release: str = "0.5.0"
    sandbox: str = "none"
    config: dict[str, Any] = field(default_factory=dict)
    label: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    token: str = ""

    def __post_init__(self) -> None:
        self.repository.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch", "main")
        (self.repository / "README").write_text("A project with a file missing.\n")
        self.git("add", "README")
        self.git("commit", "--quiet", "--message", "Begin.")
        self.program.write_text(_SESSION)
        self.program.chmod(0o755)

    @property
    def repository(self) -> Path:
        return self.folder / "demo"

    @property
    def program(self) -> Path:
        return self.folder / "session.sh"

    @property
    def state(self) -> Path:
        return self.folder / "runner-state"

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
        done = subprocess.run(
            ["git", *who, *words], cwd=self.repository, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def file(self, *, project_id: str | None = None, **changes: Any) -> "Filed":
        """A ticket for this machine, about its repository."""
        check = {
            "description": "The file is there",
            "method": "command",
            "command": COMMAND,
            "expected": "exits 0",
        }
        package = {
            "blocker_criteria": [check],
            "labels": [self.label],
            "context": {"workspace": {"repo": "demo"}},
        }
        stuck = agent(self.server, "stuck")
        body: dict[str, Any] = {"package": make_package(**package | changes)}
        if project_id is not None:
            body["project_id"] = project_id
        return Filed(stuck, stuck.post("/tickets", body)["ticket"]["ref"])

    def begin(self) -> "subprocess.Popen[str]":
        """`stuckbot-runner run --once` under way."""
        self._configure()
        return self._program("run", "--once", "--config", str(self._config_file))

    def run(self) -> str:
        """One whole run; returns what it logged."""
        return finished(self.begin())

    def tell(self, *words: str) -> str:
        """What another command of the runner prints."""
        self._configure()
        words = (words[0], *words[1:], "--config", str(self._config_file))
        return finished(self._program(*words))

    def audit(self, *kinds: str) -> list[dict[str, Any]]:
        """What the runner wrote down of these kinds, oldest first."""
        lines = (self.state / "audit.jsonl").read_text(encoding="utf-8").splitlines()
        told = [json.loads(line) for line in lines]
        return [one for one in told if not kinds or one["kind"] in kinds]

    def outcomes(self) -> list[str]:
        with closing(sqlite3.connect(self.state / "runner.db")) as file:
            return [row[0] for row in file.execute("SELECT outcome FROM runs ORDER BY created_at")]

    def workplace(self) -> Path:
        """The working copy of the session under way, once it is there."""
        found: list[Path] = []

        def there() -> bool:
            found[:] = self.state.glob("runs/*/work/begun")
            return bool(found)

        assert eventually(there, PATIENCE), "No session began."
        return found[0].parent

    @property
    def _config_file(self) -> Path:
        return self.folder / "runner.json"

    def _configure(self) -> None:
        secret = self.folder / "secret"
        secret.write_text(self.server.org["enrollment_secret"])
        config = {
            "base_url": self.server.url,
            "enrollment_secret_file": str(secret),
            "state_dir": str(self.state),
            "name": "build-box",
            "labels": [self.label],
            "providers": [plan.profile(self.program) for plan in self.plans],
            "workspaces": {"demo": {"repo": str(self.repository)}},
            "sandbox": self._sandbox(),
            "allow_commands": [COMMAND],
            **self.config,
        }
        self._config_file.write_text(json.dumps(config))

    def _sandbox(self) -> dict[str, Any]:
        if self.sandbox == "none":
            return {"kind": "none", "i_understand_there_is_no_isolation": True}
        # The sandbox sees /usr; this Python may live elsewhere.
        home, python = sys.base_prefix, os.path.realpath(sys.executable)
        return {"kind": "bwrap", "python": python, "ro_binds": [home]}

    def _program(self, *words: str) -> "subprocess.Popen[str]":
        home = client_of(self.release)
        return subprocess.Popen(
            [sys.executable, str(home / "bin" / "stuckbot-runner"), *words],
            cwd=self.folder,
            env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@dataclass
class Filed:
    """A ticket as its creator sees it."""

    stuck: Caller
    ref: str

    @property
    def ticket(self) -> Any:
        return self.stuck.get(f"/tickets/{self.ref}")["ticket"]

    @property
    def state(self) -> str:
        return str(self.ticket["state"])

    def events(self, *types: str) -> list[Any]:
        told = self.stuck.get(f"/tickets/{self.ref}/events")["events"]
        return [one for one in told if not types or one["type"] in types]

    def story(self) -> list[str]:
        return [one["type"] for one in self.events()]


def person(server: Server) -> Caller:
    """The owner, by a personal access token."""
    told = manage(server, "person_token", "--email", server.org["email"])
    return Caller(server, told.split()[-1])


def finished(process: "subprocess.Popen[str]", seconds: float = PATIENCE) -> str:
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
    assert process.returncode == 0, out[-4000:]
    return out


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that is dead and not yet reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def kill(process: "subprocess.Popen[str]") -> None:
    """`kill -9`, as a machine out of memory does it."""
    process.send_signal(signal.SIGKILL)
    process.communicate()
