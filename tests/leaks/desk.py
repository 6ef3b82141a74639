"""A desk in processes of its own, as an operator runs it, and callers of every kind."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from tests.ports import free_port
from tests.support import make_package

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240.0


class Server:
    """`manage.py serve` on SQLite; what it writes goes to a file beside its data."""

    def __init__(self, folder: Path, words: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "log.txt"
        self.port = free_port()
        for made in ("data", "tmp"):
            (folder / made).mkdir()
        self.environment = os.environ | {
            "DATA_DIR": str(self.data),
            "DATABASE_URL": f"sqlite:///{self.data}/desk.sqlite3",
            "DJANGO_SETTINGS_MODULE": "tests.leaks.settings",
            "DJANGO_SUPERUSER_PASSWORD": "a long enough one",
            "LEAK_WORDS": words,
            "LOG_LEVEL": "DEBUG",
            "RATE_LIMIT": "off",
            "TMPDIR": str(folder / "tmp"),
            "EMAIL_URL": f"filemail://{self.data}/mail",
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        return self.data / "desk.sqlite3"

    def run(self, *arguments: str) -> str:
        """A Python of its own with the desk's environment; its errors go to the log."""
        return self.begin(*arguments).communicate()[0]

    def begin(self, *arguments: str) -> "subprocess.Popen[str]":
        """The same, while others go on."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(self.port), "--workers", "1"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        self.wait_for("StuckBot is serving on ")

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + PATIENCE
        while text not in self.log.read_text(errors="replace"):
            assert time.monotonic() < until, f"{text!r} never came:\n{self.log.read_text()[-3000:]}"
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            time.sleep(0.05)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        finally:
            self.process.kill()


@dataclass
class Bearer:
    """Calls the API and remembers every answer's bytes in `heard`."""

    url: str
    token: str
    heard: list[tuple[str, bytes]]
    session: requests.Session = field(default_factory=requests.Session)

    def call(
        self, method: str, path: str, body: Any = None, raw: bytes | None = None, **headers: Any
    ) -> requests.Response:
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        answer = self.session.request(
            method, self.url + path, data=data, headers=sent, timeout=90, allow_redirects=False
        )
        self.heard.append((f"{method} {path[:60]} {answer.status_code}", answer.content))
        return answer

    def ok(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.call(method, path, body)
        assert answer.status_code < 300, (method, path, answer.status_code, answer.text[:500])
        return answer.json()


class Cast:
    """Everybody who writes, and tickets in the state that a writer needs."""

    def __init__(self, server: Server, made: dict[str, str], person_token: str) -> None:
        self.url = server.url
        self.heard: list[tuple[str, bytes]] = []
        self.project = made["project_id"]
        self.bearers = {
            "connector": self.bearer(made["enrollment_secret"]),
            "stuck": self.bearer(made["direct_key"]),
            "verifier": self.bearer(made["verifier_key"]),
            "person": self.bearer(person_token),
        }
        self.bearers["solver"] = self.fresh()
        self.job = ""
        self._incomplete: list[str] = []

    def bearer(self, token: str) -> Bearer:
        return Bearer(self.url, token, self.heard)

    def fresh(self) -> Bearer:
        """An agent that has just registered."""
        body = {"name": "fresh"}
        token = self.bearers["connector"].ok("POST", "/api/v1/agents/register", body)["token"]
        return self.bearer(token)

    def who(self, name: str) -> Bearer:
        return self.fresh() if name == "fresh" else self.bearers[name]

    def ref(self, state: str) -> str:
        """The id in the path: a ticket brought to that state, or what else the path names."""
        others = {"": "", "project": self.project, "store": "main"}
        if state in others:
            return others[state]
        if state == "agent":
            return str(self.fresh().ok("GET", "/api/v1/agents/me")["agent"]["id"])
        if state == "job":
            return self.job or self._resolved()[1]
        if state == "review":
            return self._in_review()
        steps: dict[str, list[tuple[str, str, Any]]] = {
            "open": [],
            "closed": [("person", "close", {})],
            "claimed": [("solver", "claim", {})],
            "proven": [("solver", "claim", {}), ("solver", "evidence", _PROOF)],
            "escalated": [("solver", "claim", {}), ("solver", "escalate", {"reason": "x"})],
            "doubted": [
                ("solver", "claim", {}),
                ("solver", "evidence", _PROOF),
                ("solver", "escalate", {"reason": "x"}),
            ],
        }
        return self._resolved()[0] if state == "resolved" else self._ticket(steps[state])

    def incomplete(self, count: int) -> list[str]:
        """Tickets that were filed with a title alone."""
        body = {"type": "self_report", "package": {"title": "Out of ideas"}}
        self._incomplete = [
            str(self.bearers["stuck"].ok("POST", "/api/v1/signals", body)["ticket"]["ref"])
            for _ in range(count)
        ]
        return self._incomplete

    def completed(self) -> int:
        """How many of these have all that they lacked."""
        read = [
            self.bearers["person"].ok("GET", f"/api/v1/tickets/{ref}")["ticket"]
            for ref in self._incomplete
        ]
        return sum(not one["missing_fields"] for one in read)

    def _ticket(self, steps: list[tuple[str, str, Any]]) -> str:
        body = {"package": make_package(**_TASK)}
        filed = self.bearers["stuck"].ok("POST", "/api/v1/tickets", body)
        ref: str = filed["ticket"]["ref"]
        for name, action, sent in steps:
            self.bearers[name].ok("POST", f"/api/v1/tickets/{ref}/{action}", sent)
        return ref

    def _resolved(self) -> tuple[str, str]:
        ref = self.ref("proven")
        body = {"stage": "blocker"}
        said = self.bearers["solver"].ok("POST", f"/api/v1/tickets/{ref}/submit", body)
        self.job = said["verification"]["id"]
        return ref, self.job

    def _in_review(self) -> str:
        """A job that waits for a verifier: the policy of the test asks one for tasks."""
        ref, _ = self._resolved()
        for action, body in (
            ("continue", {}),
            ("evidence", _TESTED),
            ("submit", {"stage": "task"}),
        ):
            said = self.bearers["solver"].ok("POST", f"/api/v1/tickets/{ref}/{action}", body)
        job: str = said["verification"]["id"]
        return job


_PROOF = {
    "criterion": "b1",
    "type": "command_run",
    "payload": {"command": "npm ci", "exit_code": 0},
}
_TESTED = {
    "criterion": "t1",
    "type": "test_report",
    "payload": {"runner": "pytest", "passed": 1, "failed": 0},
}
_TASK = {
    "mode": "takeover_allowed",
    "task_criteria": [
        {"description": "d", "method": "test_suite", "expected": "none fail"},
        {"description": "d", "method": "manual", "expected": "fine"},
    ],
}
