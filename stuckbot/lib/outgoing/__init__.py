"""Requests that leave the desk: public addresses only, by https, within one deadline.

Whatever the desk asks of a machine that somebody else named goes through here. Why it is so is in
docs/adr/0019-outgoing-requests.md, what it was held against in docs/url-checks-review.md.
"""

from stuckbot.lib.outgoing.allowed import NOBODY, Allowed, allowed_hosts
from stuckbot.lib.outgoing.crowd import Crowd, Crowded
from stuckbot.lib.outgoing.exchange import Request, Result, exchange
from stuckbot.lib.outgoing.guard import INTERNET, Network
from stuckbot.lib.outgoing.probe import SECONDS, probe
from stuckbot.lib.outgoing.results import (
    FAILURES,
    REFUSALS,
    Answered,
    Refused,
    Target,
    Unanswered,
)
from stuckbot.lib.outgoing.targets import target_of
from stuckbot.lib.outgoing.trust import check_ca_file

__all__ = [
    "FAILURES",
    "INTERNET",
    "NOBODY",
    "REFUSALS",
    "SECONDS",
    "Allowed",
    "Answered",
    "Crowd",
    "Crowded",
    "Network",
    "Refused",
    "Request",
    "Result",
    "Target",
    "Unanswered",
    "allowed_hosts",
    "check_ca_file",
    "exchange",
    "probe",
    "target_of",
]
