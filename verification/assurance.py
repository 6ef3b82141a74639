"""How a stage was approved: the strongest that is true of every one of its checks."""

from collections.abc import Collection
from typing import Final, Literal

from verification.states import Result, Trust

#: Who approves: the desk by itself, another agent, a person, or whoever did the work.
Approver = Literal["desk", "agent", "person", "self"]

_OF_APPROVER: Final[dict[Approver, str]] = {
    "desk": "self_reported",
    "agent": "agent_verified",
    "person": "person_approved",
    "self": "self_approved",
}
#: From the strongest: the assurance, the label that each check must have for it.
_OF_LABEL: Final = (
    ("customer_verified", Trust.CUSTOMER_VERIFIED),
    ("platform_checked", Trust.PLATFORM_CHECKED),
    ("person_approved", Trust.PERSON_APPROVED),
    ("agent_verified", Trust.VERIFIER_CONFIRMED),
)
_STRENGTH: Final = (
    *("customer_verified", "platform_checked", "person_approved", "agent_verified"),
    *("self_approved", "self_reported"),
)
#: What an approval makes of the labels of results that passed.
_RAISED: Final[dict[Approver, dict[str, Trust]]] = {
    "desk": {},
    "self": {},
    "agent": {Trust.SELF_REPORTED: Trust.VERIFIER_CONFIRMED},
    "person": {
        Trust.SELF_REPORTED: Trust.PERSON_APPROVED,
        Trust.VERIFIER_CONFIRMED: Trust.PERSON_APPROVED,
    },
}


def assurance_of(trusts: Collection[str], approver: Approver) -> str:
    """`trusts` are the labels of the checks that passed, with one that is empty when some did not
    (`Stand.trusts`). What is true of each check alone is true of none together: a stage of which
    one check was signed and one fetched by the desk is no more than who approved it says."""
    found = {_OF_APPROVER[approver]}
    found |= {name for name, label in _OF_LABEL if set(trusts) == {label}}
    return next(name for name in _STRENGTH if name in found)


def trust_raised(trust: str, result: str, approver: Approver) -> str:
    """The label of a result that counts, once the stage is approved."""
    if result != Result.PASS:
        return trust
    return _RAISED[approver].get(trust, trust)
