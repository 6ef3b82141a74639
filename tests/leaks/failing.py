"""What goes wrong on purpose, with a secret in its words: a page, a call, a task, a timer."""

import os
from typing import Any, NoReturn

from django.http import HttpRequest
from django.urls import path

from stuckbot.site import tasks
from stuckbot.site.api.call import Call
from stuckbot.site.api.operations import Operation
from stuckbot.site.api.views import ApiView
from stuckbot.urls import urlpatterns as desk


def words() -> str:
    return os.environ["LEAK_WORDS"]


def fail(*_: Any) -> NoReturn:
    held = {"password": words()}
    raise ValueError(f"It broke over {held} and {words()}")


def page(request: HttpRequest) -> NoReturn:
    fail(request)


def call(call: Call) -> NoReturn:
    fail(call)


class Failing(ApiView):
    operations = {
        method: Operation(
            id="fail", method=method, path="", summary="", handler=call, answer={}, kinds=None
        )
        for method in ("GET", "POST")
    }


tasks.WORK["leak"] = fail
urlpatterns = [path("api/v1/fail", Failing.as_view()), path("fail", page), *desk]
handler500 = "stuckbot.site.pages.errors.server_error"
