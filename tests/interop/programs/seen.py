"""What a program uses of the public client, so that a test can say that nothing was left out."""

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any


class Seen:
    """Notes each public method of the client's classes that is called, and each operation.

    The methods do what they always do.
    """

    def __init__(self, sb: Any) -> None:
        self.methods: set[str] = set()
        self.operations: set[str] = set()
        self.offered: set[str] = set()
        for owner in (sb.Client, sb.FleetAgent, sb.fleet.Lease):
            for name, method in list(vars(owner).items()):
                if inspect.isfunction(method) and not name.startswith("_"):
                    self.offered.add(f"{owner.__name__}.{name}")
                    setattr(owner, name, _noted(method, f"{owner.__name__}.{name}", self.methods))
        self._operations_note(sb.Client)

    def told(self) -> dict[str, list[str]]:
        return {
            "operations": sorted(self.operations),
            "left_out": sorted(self.offered - self.methods),
        }

    def _operations_note(self, client: Any) -> None:
        calls = client._op

        @functools.wraps(calls)
        def noted(client: Any, name: str, *args: Any, **rest: Any) -> Any:
            self.operations.add(name)
            return calls(client, name, *args, **rest)

        client._op = noted


def _noted(method: Callable[..., Any], name: str, names: set[str]) -> Callable[..., Any]:
    @functools.wraps(method)
    def noted(*args: Any, **rest: Any) -> Any:
        names.add(name)
        return method(*args, **rest)

    return noted


def until(holds: Callable[[], Any], seconds: float = 20.0) -> bool:
    """Waits for what another thread of the client brings about."""
    ends = time.monotonic() + seconds
    while not holds() and time.monotonic() < ends:
        time.sleep(0.02)
    return bool(holds())


def heard(sb: Any, call: Callable[..., Any], *args: Any, **rest: Any) -> list[Any]:
    """Status, code, message and details of the error that the client raises; empty for none."""
    try:
        call(*args, **rest)
    except sb.StuckBotError as refused:
        return [refused.status, refused.code, refused.message, refused.details]
    return []
