"""A client that sends or takes too slowly is cut off."""

import socket
import threading
import time

import pytest

from stuckbot.site.server import patience
from stuckbot.site.server.patience import PatientSocket


def pair() -> tuple[PatientSocket, socket.socket]:
    ours, theirs = socket.socketpair()
    return PatientSocket.of(ours), theirs


def read_on(connection: PatientSocket) -> None:
    while True:
        connection.recv(1)


def test_it_cuts_off_a_request_that_drips_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "ARRIVAL_SECONDS", 0.3)
    ours, theirs = pair()
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.05):
            theirs.send(b"a")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        ours.begin()
        began = time.monotonic()
        with pytest.raises(ConnectionResetError):
            read_on(ours)
        assert 0.2 < time.monotonic() - began < 10
    finally:
        stop.set()
        thread.join()
        ours.close()
        theirs.close()


def test_it_gives_the_next_request_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "ARRIVAL_SECONDS", 0.1)
    ours, theirs = pair()
    with ours, theirs:
        ours.begin()
        time.sleep(0.15)
        theirs.send(b"ok")
        with pytest.raises(ConnectionResetError):
            ours.recv(2)
        monkeypatch.setattr(patience, "ARRIVAL_SECONDS", 30.0)
        ours.begin()
        assert ours.recv(2) == b"ok"
