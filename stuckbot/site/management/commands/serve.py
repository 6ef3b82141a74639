"""``manage.py serve``: the web server and the task worker, one thing to start and to stop."""

import gc
import http.client
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from functools import partial
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import BaseCommand, CommandError

from stuckbot.site.server import checker, startup, ticker, web, worker
from stuckbot.site.server.processes import Child, Supervisor, save_memory

STOP_SECONDS = 9.0  # one less than most supervisors of ours would grant
BACKLOG = 1024
CHECKS = "checks"


class Command(BaseCommand):
    help = "Serve the API, the pages and the background work until SIGTERM or Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on")
        parser.add_argument("--workers", type=int, default=settings.WEB_WORKERS)
        parser.add_argument("--threads", type=int, default=settings.WEB_THREADS)

    def handle(self, *_args: Any, **options: Any) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _end)
        gc.disable()  # what is loaded now stays; the children collect their own garbage
        save_memory()
        listener = _bind(options["host"], options["port"])
        startup.wait_for_database(self._say)
        startup.prepare_database(self._say)
        startup.collect_static()
        application = WSGIHandler()
        startup.warm_up(application)
        supervisor = Supervisor(_children(listener, application, options), grace=STOP_SECONDS)
        _listen(listener)
        supervisor.start()
        try:
            self._watch(supervisor, options["host"], options["port"])
        finally:
            listener.close()
            supervisor.stop()
        self._say("StuckBot has stopped.")

    def _watch(self, supervisor: Supervisor, host: str, port: int) -> None:
        clockwork = ticker.Ticker()
        address = _reachable(host)
        while not supervisor.stopping and not _answers(address, port):
            supervisor.wait(0.2)
        if not supervisor.stopping:
            shown = f"[{address}]" if ":" in address else address
            self._say(f"StuckBot is serving on http://{shown}:{port}")
        while not supervisor.stopping:
            started = time.monotonic()
            clockwork.tick(may_check=supervisor.is_idle(CHECKS))
            if clockwork.wants_checker:
                supervisor.want(CHECKS)
            if clockwork.is_worker_stuck():
                supervisor.renew("worker")
                clockwork.forget()
            supervisor.wait(max(0.1, 1.0 - (time.monotonic() - started)))

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def _bind(host: str, port: int) -> socket.socket:
    """Take the port before anything else is done; it is listened on when all is ready."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"Cannot listen on {host}:{port}: {reason}.") from None
    return listener


def _listen(listener: socket.socket) -> None:
    try:
        listener.listen(BACKLOG)
    except OSError as error:  # another server took the port after we did, and listened first
        raise CommandError(f"Cannot listen: {error.strerror}.") from None


def _children(
    listener: socket.socket, application: WSGIHandler, options: dict[str, Any]
) -> list[Child]:
    serve = partial(
        web.serve,
        listener,
        application=application,
        workers=options["workers"],
        threads=options["threads"],
    )
    return [
        Child("web", serve),
        Child("worker", partial(worker.work, listener)),
        Child(CHECKS, partial(checker.check_urls, listener), on_demand=True),
    ]


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)


def _answers(host: str, port: int) -> bool:
    """Whether the web server says that it is well."""
    call = http.client.HTTPConnection(host, port, timeout=1)
    try:
        call.request("GET", "/healthz")
        return call.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        call.close()
