"""A name server on loopback, and what the desk makes of its answers through the real resolver.

To be run in a network of its own where /etc/resolv.conf names 127.0.0.9:
`python -m tests.outgoing.name_server` prints what became of each name as JSON.
"""

import contextlib
import fcntl
import json
import socket
import struct
import threading
import time
from collections import Counter

from stuckbot.lib.outgoing import NOBODY, Answered, Network, Unanswered, probe
from stuckbot.lib.outgoing.addresses import Address
from stuckbot.lib.outgoing.names import LOOKUPS_AT_ONCE

ADDRESS = "127.0.0.9"
A, AAAA = 1, 28
#: SIOCSIFFLAGS with IFF_UP and IFF_RUNNING, which Python has no names for.
SET_FLAGS, UP = 0x8914, 0x41
NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 0, 2, 3
PUBLIC = "93.184.216.34"
#: By the first label: the code, and what is answered to questions of each type.
ANSWERS: dict[str, tuple[int, dict[int, list[str]]]] = {
    "public": (NO_ERROR, {A: [PUBLIC]}),
    "gone": (NO_SUCH_NAME, {}),
    "empty": (NO_ERROR, {}),
    "broken": (SERVER_FAILURE, {}),
    "private": (NO_ERROR, {A: ["10.0.0.1"]}),
    "mixed": (NO_ERROR, {A: [PUBLIC, "192.168.1.1"]}),
    "mixed6": (NO_ERROR, {A: [PUBLIC], AAAA: ["::1"]}),
    "mapped": (NO_ERROR, {AAAA: ["::ffff:127.0.0.1"]}),
    "rebind": (NO_ERROR, {A: [PUBLIC]}),
}


class NameServer:
    """Answers by `ANSWERS`; says nothing about names that begin with "silent", and of "rebind"
    something else from the second time on."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((ADDRESS, 53))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            question, sender = self._socket.recvfrom(2048)
            with contextlib.suppress(KeyError):
                self._socket.sendto(self._answer(question), sender)

    def _answer(self, question: bytes) -> bytes:
        length = question[12]
        first = question[13 : 13 + length].decode("ascii")
        end = question.index(b"\x00", 12) + 5
        (kind,) = struct.unpack(">H", question[end - 4 : end - 2])
        self.asked[first, kind] += 1
        code, answers = ANSWERS[first]
        found = answers.get(kind, [])
        if first == "rebind" and self.asked[first, kind] > 1:
            found = ["127.0.0.1"] if kind == A else []
        head = question[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(found), 0, 0)
        return head + question[12:end] + b"".join(_record(kind, text) for text in found)


def _record(kind: int, text: str) -> bytes:
    data = socket.inet_pton(socket.AF_INET if kind == A else socket.AF_INET6, text)
    return b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(data)) + data


def _nobody_there(_address: Address, _port: int, _seconds: float) -> socket.socket:
    raise ConnectionRefusedError(111, "nobody there")


def _became(host: str, seconds: float = 3.0) -> str:
    network = Network(connect=_nobody_there)
    result = probe(f"https://{host}/", allowed=NOBODY, seconds=seconds, network=network)
    assert not isinstance(result, Answered)
    return f"{result.reason} {result.address}" if isinstance(result, Unanswered) else result.reason


def _loopback_up() -> None:
    """In a new network even loopback is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))


def _main() -> None:
    _loopback_up()
    server = NameServer()
    became = {first: _became(f"{first}.example.com") for first in ANSWERS}
    became["rebind again"] = _became("rebind.example.com")
    asked = max(server.asked[first, A] for first in ("public", "private", "gone", "mixed"))
    started = time.monotonic()
    threads = [
        threading.Thread(target=_became, args=(f"silent{number}.example.com", 0.5))
        for number in range(LOOKUPS_AT_ONCE + 30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    print(json.dumps({"became": became, "asked": asked, "took": took, "left": _lookups()}))


def _lookups() -> int:
    return sum(thread.name == "name lookup" for thread in threading.enumerate())


if __name__ == "__main__":
    _main()
