"""One server behind one public address, and names that lead there."""

from contextlib import ExitStack

from tests.outgoing.authority import Authority
from tests.outgoing.faked import PUBLIC, Answers, Faked
from tests.outgoing.server import OK, Act, Server, says

NAME = "status.example.com"


class World:
    """Makes them; what it made ends with the test."""

    def __init__(self, authority: Authority, stack: ExitStack) -> None:
        self.authority = authority
        self._stack = stack

    def server(self, act: Act | None = None, *hosts: str) -> Server:
        made = self.authority.made(*(hosts or (NAME,)))
        return self._stack.enter_context(Server(act or says(OK), made.context()))

    def plain(self, act: Act) -> Server:
        """A server that speaks no TLS unless the act does."""
        return self._stack.enter_context(Server(act, None))

    def faked(self, server: Server, names: Answers | None = None) -> Faked:
        names = {NAME: [PUBLIC]} if names is None else names
        addresses = {PUBLIC, *(address for found in names.values() for address in found)}
        return Faked(self.authority.file, names, dict.fromkeys(addresses, server.port))
