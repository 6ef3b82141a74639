"""The operator's list of hosts that may be private."""

from dataclasses import dataclass
from typing import Final

from stuckbot.lib.outgoing.hosts import BadHost, host_of, is_loopback_name


@dataclass(frozen=True, slots=True)
class Allowed:
    """Names that may lead into a private network, and the certificates that vouch for them.

    `ca_file` is a file of certificates in PEM, believed for these names and no others; empty for
    none besides those that everybody believes.
    """

    hosts: frozenset[str] = frozenset()
    ca_file: str = ""


#: What holds unless the operator says otherwise.
NOBODY: Final = Allowed()


def allowed_hosts(text: str, ca_file: str = "") -> Allowed:
    """The list written as names with commas between; ValueError names every one that is none."""
    wanted = [word for part in text.split(",") if (word := part.strip())]
    hosts: set[str] = set()
    problems: list[str] = []
    for word in wanted:
        try:
            hosts.add(_name(word))
        except BadHost:
            problems.append(word)
    if problems:
        raise ValueError(", ".join(problems))
    return Allowed(frozenset(hosts), ca_file)


def _name(word: str) -> str:
    """A host's name, exact: no address, no pattern, nothing of this machine itself."""
    host = host_of(word)
    if not isinstance(host, str) or is_loopback_name(host):
        raise BadHost
    return host
