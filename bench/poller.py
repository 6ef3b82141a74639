"""A thousand agents that poll, in a process of their own: what they cost is not the server's.

    python -m bench.poller PORT SECONDS EVERY < tokens > result.json

Each agent keeps a connection, its cursor and its ETag, as the client library does, and asks every
so many seconds whatever it is told to wait.
"""

import asyncio
import json
import random
import sys
from dataclasses import dataclass, field
from time import perf_counter, time
from typing import Any


@dataclass(slots=True)
class Answer:
    """When it was asked and how it went. `offered` are the refs on offer to the agent then."""

    asked: float
    seconds: float
    status: int
    offered: frozenset[str]


@dataclass(slots=True)
class Agent:
    token: str
    port: int
    cursor: str = ""
    etag: str = ""
    offered: frozenset[str] = frozenset()
    answers: list[Answer] = field(default_factory=list)

    async def live(self, first: float, every: float, until: float) -> None:
        """Asks at `first` and then every so many seconds; late ones are asked at once."""
        way = await asyncio.open_connection("127.0.0.1", self.port)
        due = first
        while due < until:
            await asyncio.sleep(max(0.0, due - time()))
            try:
                await self._poll(*way)
                due += every
            except (ConnectionError, asyncio.IncompleteReadError):
                # Either side may close a connection that rests; the library asks again too.
                way = await asyncio.open_connection("127.0.0.1", self.port)
        way[1].close()

    async def _poll(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        query = f"?cursor={self.cursor}" if self.cursor else ""
        lines = [f"GET /api/v1/work{query} HTTP/1.1", "Host: localhost"]
        lines.append(f"Authorization: Bearer {self.token}")
        if self.etag:
            lines.append(f"If-None-Match: {self.etag}")
        asked, started = time(), perf_counter()
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        status, headers, body = await _answer(reader)
        seconds = perf_counter() - started
        if status == 200:
            told = json.loads(body)
            self.cursor, self.etag = told["next_cursor"], headers["etag"]
            self.offered = frozenset(one["ref"] for one in told["claimable"])
        self.answers.append(Answer(asked, seconds, status, self.offered))


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ")[1])
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    length = 0 if status == 304 else int(headers.get("content-length", 0))
    return status, headers, await reader.readexactly(length) if length else b""


async def poll_all(port: int, tokens: list[str], seconds: float, every: float) -> list[Agent]:
    """What was answered after everybody had asked twice: the first answers are whole lists."""
    agents = [Agent(token, port) for token in tokens]
    start, warm = time() + 1, 2 * every
    chance = random.Random(1)
    over = start + warm + seconds
    lives = [one.live(start + chance.random() * every, every, over) for one in agents]
    told = asyncio.create_task(_tell_warm(start + warm - time()))
    await asyncio.gather(*lives, told)
    for one in agents:
        one.answers = [answer for answer in one.answers if answer.asked >= start + warm]
    return agents


async def _tell_warm(after: float) -> None:
    await asyncio.sleep(after)
    print("warm", file=sys.stderr, flush=True)


def main() -> None:
    port, seconds, every = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    agents = asyncio.run(poll_all(port, sys.stdin.read().split(), seconds, every))
    told: list[list[Any]] = []
    before: dict[int, frozenset[str]] = {}
    for number, agent in enumerate(agents):
        for one in agent.answers:
            same = before.get(number) == one.offered
            before[number] = one.offered
            # Lists are long and mostly the same: told once, then null.
            offered = None if same else sorted(one.offered)
            told.append([number, one.asked, one.seconds, one.status, offered])
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
