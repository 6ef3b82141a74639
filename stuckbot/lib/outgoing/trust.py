"""Whose certificates are believed."""

import os
import ssl
import threading
from typing import Final

import certifi

#: Without DHE, whose cost the other side chooses; browsers left it out long ago.
_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES"


_made: dict[str, ssl.SSLContext] = {}
_making = threading.Lock()


def _may_make() -> None:
    """A forked child has none of its parent's threads, so nobody would let go of their lock."""
    global _making
    _making = threading.Lock()


os.register_at_fork(after_in_child=_may_make)


def trusted(ca_file: str) -> ssl.SSLContext:
    """TLS 1.2 or later, by the authorities that browsers believe and those in `ca_file`, if any.

    Kept for the life of the process: reading the authorities takes longer than all the rest, so of
    many threads that want it first one reads and the others wait.
    """
    if (made := _made.get(ca_file)) is not None:
        return made
    with _making:
        if ca_file not in _made:
            _made[ca_file] = _context(ca_file)
        return _made[ca_file]


def _context(ca_file: str) -> ssl.SSLContext:
    """By hand, because `ssl.create_default_context` also heeds SSL_CERT_FILE, SSL_CERT_DIR and
    SSLKEYLOGFILE."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(_CIPHERS)
    context.hostname_checks_common_name = False
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    context.load_verify_locations(certifi.where())
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


def check_ca_file(path: str) -> None:
    """ValueError with the reason if the file cannot be read or holds no certificate."""
    if not path:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError:
        raise ValueError("it holds none") from None
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be read") from None
