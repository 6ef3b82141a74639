"""What a request that leaves the desk can come to."""

from dataclasses import dataclass
from typing import Final

#: Why a request is never made. Trying again would change nothing.
REFUSALS: Final = ("bad_url", "masked", "not_https", "not_public", "port", "userinfo")
#: Why a request that was made, or begun, got no answer. Another try may well get one.
FAILURES: Final = (
    "bad_answer",
    "certificate",
    "no_such_name",
    "name_timeout",
    "refused_connection",
    "timeout",
    "tls",
    "unreachable",
)


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be asked for, in the form in which it is sent.

    `host` is in ASCII and lower case, without brackets and without a dot at its end; `path` has
    the query in it. `allowed` says that the operator's list names the host.
    """

    url: str
    host: str
    port: int
    path: str
    allowed: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was sent to anybody; `reason` is one of `REFUSALS`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A whole header came; `allowed`: from an address that only the operator's list lets pass."""

    status: int
    address: str
    took_ms: int
    allowed: bool


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No whole header came; `reason` is one of `FAILURES`, `address` is empty if none was tried."""

    reason: str
    address: str
    took_ms: int
    allowed: bool


class Failed(Exception):
    """Ends a request inside this package; `reason` is one of `FAILURES`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
