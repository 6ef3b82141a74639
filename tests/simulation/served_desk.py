"""The same behaviours against a running server, in real time and by real HTTP."""

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from stuckbot.lib import clock
from tests.interop.server import Server
from tests.simulation.world import World
from tests.support import Api, Reply

#: Patience with a server whose parts are killed, in seconds.
PATIENCE = 60.0
GONE = (OSError, http.client.HTTPException, TimeoutError)


@dataclass
class Answer:
    """What `Reply` reads of a response."""

    status_code: int
    content: bytes
    headers: Any


@dataclass
class HttpApi(Api):
    """Calls over HTTP, each until it is answered: the same key again when nobody answered."""

    url: str = ""
    unanswered: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        until = time.monotonic() + PATIENCE
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        while True:
            request = urllib.request.Request(self.url + path, data, sent, method=method)
            try:
                reply = self._once(request)
            except GONE as gone:
                self.unanswered.append(f"{method} {path}: {gone}")
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
                continue
            if reply.status == 503 or (reply.status == 409 and reply.code == _RUNNING):
                time.sleep(0.2)
                continue
            return reply

    def _once(self, request: urllib.request.Request) -> Reply:
        try:
            with urllib.request.urlopen(request, timeout=20) as got:
                return Reply(Answer(got.status, got.read(), got.headers))
        except urllib.error.HTTPError as refused:
            return Reply(Answer(refused.code, refused.read(), refused.headers))


_RUNNING = "idempotency_in_progress"


@dataclass
class ServedOrg:
    id: str


@dataclass
class ServedDesk:
    """What the behaviours ask of a desk, at a running server."""

    server: Server
    org: ServedOrg = field(init=False)

    def __post_init__(self) -> None:
        self.org = ServedOrg(self.server.org["org_id"])

    def api(self, token: str) -> HttpApi:
        return HttpApi(token, url=self.server.url)

    def agent(self, name: str = "agent", **registration: Any) -> Api:
        secret = self.api(self.server.org["enrollment_secret"])
        body = {"name": name, **registration}
        return self.api(secret.post("/api/v1/agents/register", body).ok(201)["token"])


@dataclass
class ServedWorld(World):
    """The world of a running server: time goes by itself, faults come from outside."""

    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def now(self) -> datetime:
        return clock.now()

    def move_to(self, at: datetime) -> None:
        return None

    def fresh_key(self) -> str:
        with self.lock:
            return super().fresh_key()
