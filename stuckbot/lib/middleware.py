"""The way of a request: an id for each, and a short way for machine calls.

A page needs sessions, sign-in, language and a content policy; a call of the API needs none of
them and would pay for all. ``ApiShortcut`` stands at the head of the page middleware and
``ViewDoor`` behind it: what is for machines goes from the one to the other directly.
"""

import secrets
import threading
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation

Handler = Callable[[HttpRequest], HttpResponseBase]

# Django builds the middleware from the last to the first, in one thread.
_built = threading.local()


class RequestIdMiddleware:
    """Gives every request a ``request_id``, on its log lines and in ``X-Request-Id``."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = "req_" + secrets.token_hex(8)
        request.request_id = request_id  # type: ignore[attr-defined]
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self.get_response(request)
        response.headers["X-Request-Id"] = request_id
        return response


class ApiShortcut:
    """Sends machine calls straight to their view, past everything that only pages need."""

    def __init__(self, get_response: Handler) -> None:
        self.pages = get_response
        self.view: Handler = _built.view
        self.prefixes: tuple[str, ...] = settings.API_PREFIXES
        self.paths: frozenset[str] = settings.API_PATHS

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if not path.startswith(self.prefixes) and path not in self.paths:
            return self.pages(request)
        # A page that this thread served before may have left its reader's language and zone.
        translation.deactivate()
        timezone.deactivate()
        # No cookie counts here, so there is nothing that a forged form could borrow.
        request.csrf_processing_done = True  # type: ignore[attr-defined]
        response = self.view(request)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.setdefault("Cache-Control", "private, no-cache")
        if not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))  # type: ignore[attr-defined]
        return response


class ViewDoor:
    """The last middleware: the view stands behind it, by whichever way the request came."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        _built.view = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)
