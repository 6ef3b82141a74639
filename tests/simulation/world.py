"""A day of a desk on a moved clock: who calls, what they hear, and what goes wrong on the way."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from policy import resolve
from stuckbot.lib import clock, ratelimit
from stuckbot.site.usecases import work
from tests.simulation.faults import Died, Faults
from tests.support import Api, Desk, Reply
from tickets.services import wordsets

MORNING = datetime(2031, 3, 3, 6, 0, tzinfo=UTC)
#: Refusals that are kept and replayed; the others are looked at anew.
KEPT = {404, 409, 422}


@dataclass
class Being:
    """An agent or a person with a token."""

    name: str
    api: Api
    id: str
    is_person: bool = False
    scopes: tuple[str, ...] = ()
    renew_at: datetime = MORNING
    cursor: str | None = None
    etag: str | None = None
    heard: list[int] = field(default_factory=list)
    #: Refs of what it works on, and which of their stages it proved.
    held: dict[str, str] = field(default_factory=dict)
    proved: set[str] = field(default_factory=set)
    usage: Counter[str] = field(default_factory=Counter)
    asked: set[str] = field(default_factory=set)
    is_gone: bool = False


@dataclass
class World:
    """The desk, its clock and its chance; every call goes through `call`."""

    desk: Desk
    traveller: Any
    seed: int
    faults: Faults
    chance: random.Random
    beings: list[Being] = field(default_factory=list)
    #: What was asked of each ticket, and how it was answered.
    stories: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    counts: Counter[str] = field(default_factory=Counter)
    tickets: list[str] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)
    paused: set[str] = field(default_factory=set)
    #: What each agent filed, and until when it hangs.
    own: dict[str, list[str]] = field(default_factory=dict)
    sleep: dict[str, datetime] = field(default_factory=dict)
    _keys: int = 0

    @property
    def now(self) -> datetime:
        return clock.now()

    def move_to(self, at: datetime) -> None:
        """Never back; a moment on at least, so that ids sort as they were made."""
        self.traveller.move_to(max(at, self.now + timedelta(milliseconds=1)))

    def odds(self, share: float) -> bool:
        return self.chance.random() < share

    def call(self, who: Being, method: str, path: str, body: Any = None) -> Reply:
        """One call, repeated with its key until it is answered; twice when the answer is lost."""
        headers = {}
        if method == "POST":
            headers["idempotency_key"] = self.fresh_key()
        reply = self._answered(who, method, path, body, headers)
        if headers and self.odds(self.faults.lost):
            self._repeat(who, path, body, headers, reply)
        self._note(who, method, path, reply)
        return reply

    def fresh_key(self) -> str:
        self._keys += 1
        return f"day-{self._keys}"

    def _answered(
        self, who: Being, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> Reply:
        while True:
            try:
                with self.faults.on():
                    reply = who.api.call(method, f"/api/v1{path}", body, **headers)
            except Died:
                self.counts["web died"] += 1
                self.restart()
                continue
            if reply.status == 503:  # the database was busy, as the client is told to wait for
                self.counts["busy"] += 1
                continue
            assert reply.status < 500, (method, path, reply.json)
            return reply

    def _repeat(
        self, who: Being, path: str, body: Any, headers: dict[str, str], first: Reply
    ) -> None:
        """The answer got lost on its way: the same request again has no other effect."""
        natural = path.endswith(("/heartbeat", "/renew", "/me/token", "/register"))
        if natural or (first.status >= 300 and first.status not in KEPT):
            return
        again = self._answered(who, "POST", path, body, headers)
        self.counts["answer lost"] += 1
        assert again.status == first.status, (path, first.json, again.json)
        if first.status < 300:
            assert again.header("Idempotent-Replayed") == "true", path
            assert again.json == first.json, path

    def _note(self, who: Being, method: str, path: str, reply: Reply) -> None:
        told = reply.status if reply.status < 400 else f"{reply.status} {reply.code}"
        place = path.partition("?")[0]
        self.counts[f"{method} {_shape(place)} {told}"] += 1
        part = place.split("/")
        if method != "GET" and len(part) > 2 and part[1] == "tickets":
            at = f"{self.now:%d %H:%M:%S}"
            self.stories[part[2]].append(f"{at} {who.name}: {method} {place} -> {told}")

    def restart(self) -> None:
        """A new process remembers nothing."""
        resolve._resolve.cache_clear()
        wordsets._wordset_id.cache_clear()
        work._memos.clear()
        ratelimit._buckets.clear()

    def story(self, ref: str) -> str:
        return "\n".join(self.stories.get(ref, [f"Nobody called about {ref}."]))


def _shape(path: str) -> str:
    """`/tickets/SB-7/claim` as `/tickets/…/claim`."""
    parts = path.split("/")
    return "/".join("…" if "-" in part and any(map(str.isdigit, part)) else part for part in parts)
