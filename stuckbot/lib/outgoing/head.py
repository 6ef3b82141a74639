"""Reads the header of an answer as far as its status, and not one byte of what follows it."""

import re
from collections.abc import Callable
from typing import Final

from stuckbot.lib.outgoing.results import Failed

#: All headers of one answer together, those of interim ones (100, 103) too.
HEAD_BYTES: Final = 65_536
_BEGINS: Final = b"HTTP/1."
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?\r?\n")
_END: Final = re.compile(rb"\n\r?\n")
_SWITCHES: Final = 101


def read_status(receive: Callable[[], bytes]) -> int:
    """The status of the final answer once its header is whole; what `receive` raises, and
    `Failed("bad_answer")` for what is no HTTP/1 or goes on for too long."""
    head = _Heads(receive)
    while True:
        status = head.next()
        if status == _SWITCHES:
            raise Failed("bad_answer")
        if status >= 200:
            return status


class _Heads:
    def __init__(self, receive: Callable[[], bytes]) -> None:
        self._receive = receive
        self._held = bytearray()
        self._left = HEAD_BYTES

    def next(self) -> int:
        """The status of the next header, which is taken off what is held."""
        looked_at = 0
        while (end := _END.search(self._held, looked_at)) is None:
            # What was looked at is not looked at again, so that single bytes cost no more.
            looked_at = max(0, len(self._held) - 2)
            self._more()
        head = bytes(self._held[: end.end()])
        del self._held[: end.end()]
        line = _STATUS.match(head)
        if line is None:
            raise Failed("bad_answer")
        return int(line[1])

    def _more(self) -> None:
        came = self._receive()
        self._left -= len(came)
        self._held += came
        begun = self._held[: len(_BEGINS)]
        if not came or self._left < 0 or not _BEGINS.startswith(begun):
            raise Failed("bad_answer")
