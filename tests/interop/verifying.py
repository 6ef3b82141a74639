"""A desk with a verifier of its own, as an operator sets it up by commands, and calls of agents."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.interop.server import PATIENCE, ROOT, Server, client_of
from tests.support import make_package

#: The releases that have a verifier.
RELEASES = ("0.2.0", "0.3.0", "0.4.0", "0.5.0")
COMMAND = "test -f fixed.txt"

_KEY = """
from django.conf import settings
from accounts.models import Org
from accounts.services.orgs import direct_key_make, system_caller
from stuckbot.lib import clock
org = Org.objects.get()
scopes = ["verify", "tickets:read_project"]
made = direct_key_make(
    actor=system_caller(org.id), org=org, name="verifier", scopes=scopes, now=clock.now()
)
print(made.text)
"""


def manage(server: Server, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@dataclass
class Verifier:
    """`stuckbot-verify` of one release on a machine of its own: key, token, config, checkout."""

    server: Server
    folder: Path
    release: str
    config: dict[str, Any] = field(default_factory=dict)
    token: str = ""
    public: str = ""

    def __post_init__(self) -> None:
        self.workdir.mkdir(parents=True)
        told = self._run("keygen", "--out", str(self.folder / "key.pem"))
        assert told.returncode == 0, told.stderr
        # All that keygen prints: the words around the block are no harm.
        self.public = told.stdout
        (self.folder / "printed.txt").write_text(told.stdout, encoding="utf-8")
        begin, end = told.stdout.index("-----BEGIN"), told.stdout.index("Fingerprint")
        (self.folder / "verifier.pub").write_text(told.stdout[begin:end].strip() + "\n")
        self.token = manage(self.server, "shell", "-c", _KEY).split()[-1]
        config = {
            "key_file": str(self.folder / "key.pem"),
            "workdir": str(self.workdir),
            "allow": [COMMAND],
            **self.config,
        }
        (self.folder / "verifier.json").write_text(json.dumps(config))

    @property
    def workdir(self) -> Path:
        return self.folder / "checkout"

    @property
    def org(self) -> str:
        return self.server.org["org_id"]

    @property
    def fingerprint(self) -> str:
        return self.public.rpartition("Fingerprint:")[2].strip()

    def key_add(self) -> None:
        file = str(self.folder / "printed.txt")
        manage(self.server, "verifier_key", "add", "--org", self.org, "--name", "CI", file)

    def key_revoke(self) -> None:
        manage(self.server, "verifier_key", "revoke", "--org", self.org, self.fingerprint)

    def fix(self) -> None:
        (self.workdir / "fixed.txt").write_text("fixed")

    def run_once(self) -> str:
        done = self._run("run", "--once", "--config", str(self.folder / "verifier.json"))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def audit(self, ref: str) -> tuple[int, str]:
        done = self._run("audit", ref, "--public-key", str(self.folder / "verifier.pub"))
        return done.returncode, done.stdout.strip()

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        home = client_of(self.release)
        variables = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(home),
            "STUCKBOT_URL": self.server.url,
            "STUCKBOT_TOKEN": self.token,
        }
        return subprocess.run(
            [sys.executable, str(home / "bin" / "stuckbot-verify"), *words],
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )


@dataclass
class Caller:
    """One bearer's calls, without the client."""

    server: Server
    token: str

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"{self.server.url}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def get(self, path: str) -> Any:
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer

    def post(self, path: str, body: Any = None) -> Any:
        status, answer = self.call("POST", path, body or {})
        assert status < 300, answer
        return answer


def agent(server: Server, name: str) -> Caller:
    secret = Caller(server, server.org["enrollment_secret"])
    return Caller(server, secret.post("/agents/register", {"name": name})["token"])


@dataclass
class Submitted:
    """A ticket whose solver says that it is done, and waits for a verifier."""

    server: Server
    command: str = COMMAND

    def __post_init__(self) -> None:
        check = {
            "description": "It is fixed",
            "method": "command",
            "command": self.command,
            "expected": "exits 0",
        }
        stuck, self.solver = agent(self.server, "stuck"), agent(self.server, "solver")
        package = make_package(blocker_criteria=[check])
        self.ref = stuck.post("/tickets", {"package": package})["ticket"]["ref"]
        self.solver.post(f"/tickets/{self.ref}/claim")
        self.submit()

    def submit(self) -> None:
        payload = {"command": self.command, "exit_code": 0}
        sent = {"criterion": "b1", "type": "command_run", "payload": payload}
        self.solver.post(f"/tickets/{self.ref}/evidence", sent)
        self.solver.post(f"/tickets/{self.ref}/submit", {"stage": "blocker"})

    @property
    def ticket(self) -> Any:
        return self.solver.get(f"/tickets/{self.ref}")["ticket"]
