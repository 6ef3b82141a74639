"""Looks what status a URL answers with."""

from typing import Final

from stuckbot.lib.outgoing.allowed import Allowed
from stuckbot.lib.outgoing.exchange import Request, Result, exchange
from stuckbot.lib.outgoing.guard import INTERNET, Network

SECONDS: Final = 10.0
#: Not HEAD: many servers answer that with another status, or not at all, and what counts is what
#: somebody who opens the page would get.
_GET: Final = Request("GET", (("Accept", "*/*"),))


def probe(
    url: str, *, allowed: Allowed, seconds: float = SECONDS, network: Network = INTERNET
) -> Result:
    """The status of the URL, or why there is none; `seconds` for name, connection, TLS and
    header together. Safe to call from many threads at once."""
    return exchange(url, _GET, allowed=allowed, seconds=seconds, network=network)
