"""The web server: gunicorn with threads, its application loaded once and shared by fork."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

GRACE_SECONDS = 6
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108


class QuietLogger(Logger):  # type: ignore[misc]
    """Sends the server's own lines through the project's logging instead of its own handlers."""

    def setup(self, cfg: Any) -> None:
        self.cfg = cfg
        self._access_log_enabled = False
        self.error_log.propagate = True
        self.error_log.setLevel("WARNING")


class WebServer(BaseApplication):  # type: ignore[misc]
    def __init__(self, options: dict[str, Any], application: Callable[..., Any]) -> None:
        self.options = options
        self.application = application
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Callable[..., Any]:
        return self.application


def serve(
    listener: socket.socket, *, application: Callable[..., Any], workers: int, threads: int
) -> None:
    """Answer requests on the listener until SIGTERM; takes the listener over."""
    options = {
        "bind": f"fd://{listener.detach()}",
        "workers": workers,
        "threads": threads,
        "worker_class": "stuckbot.site.server.patience.PatientWorker",
        "preload_app": True,
        "timeout": 60,
        "graceful_timeout": GRACE_SECONDS,
        "keepalive": 15,
        "limit_request_line": 8190,
        "max_requests": 50_000,
        "max_requests_jitter": 10_000,
        # Django alone decides which proxy to believe (TRUSTED_PROXIES).
        "forwarded_allow_ips": "127.0.0.1,::1",
        "secure_scheme_headers": {},
        "forwarder_headers": "",
        "accesslog": None,
        "logger_class": QuietLogger,
        "control_socket_disable": True,
        "worker_tmp_dir": str(SHARED_MEMORY) if os.access(SHARED_MEMORY, os.W_OK) else None,
        "proc_name": "stuckbot",
    }
    WebServer(options, application).run()
