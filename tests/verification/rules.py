"""Who may decide on a fix and what comes of it, stated anew from what the desk promises.

Nothing here is taken from the desk's own code: tests hold the two against each other.
"""

from dataclasses import dataclass

#: Everybody who might decide, by what they are to the fix. The solver came through the first
#: connector and reported a provider.
AGENTS = {
    "stranger": "another connector, another provider",
    "same connector": "the solver's connector, another provider",
    "same provider": "another connector, the solver's provider spelled otherwise",
    "no provider": "another connector, no provider",
    "solver": "solved it",
    "creator": "filed it",
    "earlier": "filed an earlier ticket of the chain",
    "sender": "sent evidence for the stage in an earlier attempt",
    "held before": "held it without sending evidence",
    "rejecter": "sent evidence with a decision before",
    "solver's child": "the solver is its parent",
    "solver's grandchild": "further down",
    "solver's parent": "the solver is its child",
    "creator's child": "whoever filed it is its parent",
    "sender's child": "whoever sent evidence is its parent",
    "no scope": "was not given verify",
}
PEOPLE = {
    "member": "did none of the work",
    "worker": "a member who sent evidence for the stage",
    "viewer": "may only look",
    "foreigner": "of another org",
}
_NEVER = {
    *("solver", "creator", "earlier", "sender", "solver's child", "solver's grandchild"),
    *("solver's parent", "creator's child", "sender's child"),
}
#: All others came through another connector than the solver's.
_SAME_CONNECTOR = {"same connector"}
_OTHER_PROVIDER = {"stranger", "same connector"}


@dataclass(frozen=True)
class Case:
    """`criteria`: beside a command, none, a `manual` one or one left `unchecked`. `evidence`: what
    comes with the decision. `others`: whether another member is there who may approve."""

    policy: str
    criteria: str
    rejections: int
    rewritten: bool
    decider: str
    decision: str
    evidence: str
    others: bool = True
    connector_rule: bool = False
    provider_rule: bool = False


@dataclass(frozen=True)
class Result:
    """A refusal's status and code, or the state of ticket and job with how it was approved."""

    refusal: str = ""
    ticket: str = ""
    job: str = ""
    assurance: str = ""
    notes: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


def expected(case: Case) -> Result:
    refusal = _refusal(case)
    if refusal:
        return Result(refusal)
    notes = ("package_changed_by_solver",) if case.rewritten else ()
    if case.decision == "reject":
        ticket = "needs_human" if case.rejections + 1 >= 3 else "working"
        return Result(ticket=ticket, job="rejected", notes=notes)
    by_agent = case.decider in AGENTS
    if by_agent and (case.policy == "agent_then_person" or case.criteria == "manual"):
        return Result(ticket="blocker_review", job="waiting_person", notes=notes)
    named = () if case.criteria == "plain" else (case.criteria,)
    own = case.decider == "worker"
    assurance = "agent_verified" if by_agent else "self_approved" if own else "person_approved"
    return Result(
        ticket="blocker_resolved",
        job="approved",
        assurance=assurance,
        notes=(*notes, "self_approved") if own else notes,
        named=named,
    )


def _refusal(case: Case) -> str:
    if case.decider == "foreigner":
        return "404 not_found"
    if case.decider == "viewer":
        return "403 not_eligible"
    if case.decider == "no scope":
        return "403 insufficient_scope"
    waits_for_person = case.policy == "person"
    if case.decider in AGENTS:
        if waits_for_person:
            return "409 invalid_transition"
        if not _eligible(case):
            return "403 not_eligible"
    elif case.decision == "approve":
        if case.policy == "agent_then_person":
            return "409 invalid_transition"
        if case.decider == "worker" and case.others:
            return "403 own_fix"
    if case.decision == "approve" and case.evidence == "failing":
        return "422 invalid_request"
    return ""


def _eligible(case: Case) -> bool:
    if case.decider in _NEVER:
        return False
    if case.connector_rule and case.decider in _SAME_CONNECTOR:
        return False
    return not case.provider_rule or case.decider in _OTHER_PROVIDER
