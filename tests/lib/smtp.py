"""A mail server on loopback that says what a test wants it to say."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any


class MailServer(socketserver.ThreadingTCPServer):
    """Keeps every mail it took. `refuses` maps a command to what is answered instead of yes."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Session)
        self.taken: list[tuple[list[str], EmailMessage]] = []
        self.refuses: dict[str, str] = {}
        self.connections = 0

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def mails(self) -> list[EmailMessage]:
        return [mail for _, mail in self.taken]


class _Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.server.connections += 1
        self._say("220 ready")
        recipients: list[str] = []
        while line := self.rfile.readline().decode().strip():
            verb = line.split(" ")[0].upper()
            refusal = self.server.refuses.get(verb)
            if verb == "RCPT" and refusal is None:
                recipients.append(line.split("<")[1].split(">")[0])
            if verb == "DATA" and refusal is None:
                self._take(recipients)
                recipients = []
                continue
            self._say(refusal or ("221 bye" if verb == "QUIT" else "250 fine"))
            if verb == "QUIT":
                return

    def _take(self, recipients: list[str]) -> None:
        self._say("354 go on")
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        end = self.server.refuses.get("END")
        if end is None:
            mail: Any = message_from_bytes(b"".join(lines), policy=policy.default)
            self.server.taken.append((recipients, mail))
        self._say(end or "250 taken")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server(port: int = 0) -> Iterator[MailServer]:
    server = MailServer(port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
