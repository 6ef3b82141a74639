"""What one unchanged poll costs the process that answers it, without the web server around it.

    .venv/bin/python -m bench.one_poll                          on SQLite
    scripts/with_postgres .venv/bin/python -m bench.one_poll    on PostgreSQL

Microseconds of CPU of the thread, and of the session on PostgreSQL: medians of nine rounds, which
say the same beside other work as without it, more or less.
"""

import io
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any, Final

import django

AGENTS, TICKETS, ROUNDS, POLLS = 50, 2_000, 9, 500
_PATH: Final = "/api/v1/work"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="stuckbot-bench-") as folder:
        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "RATE_LIMIT": "off",
            "LOG_LEVEL": "ERROR",
            "CONN_MAX_AGE": "3600",
        }
        django.setup()
        _run()


def _run() -> None:
    from bench.seed import pollers, seed
    from stuckbot.site.server.startup import prepare_database

    prepare_database(print)
    tokens, _ = pollers(seed("free", TICKETS), AGENTS)
    known = [(token, _ask(token)[1]["ETag"]) for token in tokens]
    _round(known)
    rounds = [_round(known) for _ in range(ROUNDS)]
    print("| of | CPU µs a poll | least | most |\n|---|---|---|---|")
    for place, name in enumerate(("the process", "its session")):
        costs = sorted(one[place] for one in rounds)
        print(f"| {name} | {median(costs):.0f} | {costs[0]:.0f} | {costs[-1]:.0f} |")


def _round(known: list[tuple[str, str]]) -> tuple[float, float]:
    """The median of one poll in the thread, and the mean of it in the session."""
    costs, before = [], _session_cpu()
    for place in range(POLLS):
        token, etag = known[place % len(known)]
        begun = thread_time()
        status, _ = _ask(token, etag)
        costs.append(thread_time() - begun)
        if not status.startswith("304"):
            raise RuntimeError(f"The desk answered {status}.")
    return median(costs) * 1e6, (_session_cpu() - before) / POLLS * 1e6


def _ask(token: str, etag: str | None = None) -> tuple[str, dict[str, str]]:
    from stuckbot.wsgi import application

    told: list[Any] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": _PATH,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "HTTP_AUTHORIZATION": f"Bearer {token}",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
    }
    if etag is not None:
        environ["HTTP_IF_NONE_MATCH"] = etag

    def start(status: str, headers: list[tuple[str, str]], _: Any = None, /) -> Any:
        told.extend((status, dict(headers)))

    response = application(environ, start)
    b"".join(response)
    response.close()
    return told[0], told[1]


def _session_cpu() -> float:
    """Seconds; 0 on SQLite, which works inside the process."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    pid = connection.connection.info.backend_pid
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
