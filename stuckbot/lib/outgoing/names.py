"""Asks the system's resolver for the addresses of a name, once, and waits no longer than it may.

`getaddrinfo` cannot be stopped, so it runs in a thread that is left alone when time is up. It ends
when the resolver gives up; until then it keeps one of a fixed number of places, and who finds none
free waits for one, as long as its own deadline lets it.
"""

import ipaddress
import os
import socket
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Final

from stuckbot.lib.outgoing.addresses import Address
from stuckbot.lib.outgoing.deadline import Deadline
from stuckbot.lib.outgoing.results import Failed

#: Gives every address of a name as text, or raises OSError.
Lookup = Callable[[str], Sequence[str]]

#: A resolver gives up after up to 40 seconds, and whoever asked it has left after ten: so many for
#: each of the threads that open urls, or silent name servers keep every place from the others.
LOOKUPS_AT_ONCE: Final = 128
_UNKNOWN: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
_places = threading.BoundedSemaphore(LOOKUPS_AT_ONCE)


def _forget_lookups() -> None:
    """A forked child has none of its parent's threads, so nobody would give their places back."""
    global _places
    _places = threading.BoundedSemaphore(LOOKUPS_AT_ONCE)


os.register_at_fork(after_in_child=_forget_lookups)


def system_lookup(host: str) -> list[str]:
    """Every address, of both families, that the system's resolver knows for the name."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


def addresses_of(host: str, deadline: Deadline, lookup: Lookup) -> tuple[Address, ...]:
    """The addresses of a name, each once, in the resolver's order; `Failed` if there are none."""
    try:
        found = _within(host, deadline, lookup)
    except OSError as error:
        known = isinstance(error, socket.gaierror) and error.errno in _UNKNOWN
        raise Failed("no_such_name" if known else "name_timeout") from error
    if not found:
        raise Failed("no_such_name")
    return tuple(dict.fromkeys(ipaddress.ip_address(text) for text in found))


def _within(host: str, deadline: Deadline, lookup: Lookup) -> Sequence[str]:
    places = _places
    if not places.acquire(timeout=deadline.left()):
        raise Failed("name_timeout")
    answers: SimpleQueue[Sequence[str] | Exception] = SimpleQueue()
    _start(lambda: _answer(host, lookup, answers, places), places)
    try:
        answer = answers.get(timeout=deadline.left())
    except (Empty, Failed):
        raise Failed("name_timeout") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _start(work: Callable[[], None], places: threading.BoundedSemaphore) -> None:
    try:
        threading.Thread(target=work, name="name lookup", daemon=True).start()
    except BaseException:
        places.release()
        raise


def _answer(
    host: str,
    lookup: Lookup,
    answers: "SimpleQueue[Sequence[str] | Exception]",
    places: threading.BoundedSemaphore,
) -> None:
    try:
        answers.put(lookup(host))
    except Exception as error:
        answers.put(error)
    finally:
        places.release()
