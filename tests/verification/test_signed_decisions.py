"""Decisions on results that the customer's own verifier signed."""

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Actor
from accounts.selectors import caller_of_membership
from stuckbot.lib import clock
from stuckbot.lib.errors import Stale
from tests.support import Desk
from tests.verification.reviewing import CRITERIA, LINTED, Review, paths
from tests.verification.signed import PASSED, Signer
from verification.models import Attestation, Evidence, Verification
from verification.selectors import evidence_list
from verification.services.attesting import keys_recheck, signed_evidence
from verification.services.decided import DecidedEvidence
from verification.signing import ORDER, base64url, base64url_decode

AT = "evidence[0].attestation"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def review(desk: Desk) -> Review:
    return Review(desk)


def undecided(review: Review) -> bool:
    org = review.desk.org.id
    job = Verification.objects.of(org).get(id=review.job_id)
    own = Evidence.objects.of(org).filter(verification=job)
    return not (job.decided_at or own.exists() or Attestation.objects.of(org).exists())


def newest(review: Review) -> Any:
    return review.ticket["evidence"][-1]


def test_a_signed_result_approves_as_the_customers_own(review: Review) -> None:
    raw = review.statement()
    answer = review.decide(review.item(raw)).ok()
    assert answer["verification"]["assurance"] == "customer_verified"
    assert answer["ticket"]["state"] == "blocker_resolved"
    evidence = newest(review)
    assert (evidence["result"], evidence["trust_label"]) == ("pass", "customer_verified")
    assert evidence["content"] == PASSED
    attestation = evidence["attestation"]
    assert set(attestation) == {"key", "statement", "signature", "signed_at"}
    assert attestation["key"] == review.signer.fingerprint
    assert base64url_decode(attestation["statement"]) == raw


def test_the_rest_is_the_verifiers_word(desk: Desk) -> None:
    """The assurance is the strongest that is true of every check."""
    review = Review(desk, criteria=CRITERIA)
    assert review.decide(review.item()).ok()["verification"]["assurance"] == "agent_verified"
    labels = {
        one["criterion_key"]: one["trust_label"]
        for one in review.ticket["evidence"]
        if one["counts"]
    }
    assert labels == {"b1": "customer_verified", "b2": "verifier_confirmed"}


def test_every_check_may_be_signed(desk: Desk) -> None:
    review = Review(desk, criteria=CRITERIA)
    linted = review.statement(criterion_key="b2", payload=LINTED)
    reply = review.decide(review.item(), review.item(linted, "b2"))
    assert reply.ok()["verification"]["assurance"] == "customer_verified"


def test_a_failing_signed_result_rejects_and_never_approves(review: Review) -> None:
    failed = review.statement(payload={**PASSED, "exit_code": 1})
    refused = review.decide(review.item(failed))
    assert refused.status in (409, 422)
    assert undecided(review)
    review.decide(review.item(failed), decision="reject").ok()
    evidence = newest(review)
    assert (evidence["result"], evidence["trust_label"]) == ("fail", "customer_verified")
    assert review.ticket["state"] == "working"


def test_a_failing_signed_result_is_not_outweighed_by_one_beside_it(review: Review) -> None:
    failed = review.item(review.statement(payload={**PASSED, "exit_code": 1}))
    unsigned = {"criterion": "b1", "type": "command_run", "payload": PASSED}
    for sent in ((failed, review.item()), (failed, unsigned), (review.item(), failed)):
        assert review.decide(*sent).status in (409, 422)
        assert undecided(review)


def test_it_is_confirmed_at_the_second_attempt(review: Review) -> None:
    failed = review.statement(payload={**PASSED, "exit_code": 1})
    review.decide(review.item(failed), decision="reject").ok()
    old = review.statement()
    review.submit()
    assert f"{AT}.statement.verification_id" in paths(review.decide(review.item(old)))
    answer = review.decide(review.item()).ok()
    assert answer["verification"]["assurance"] == "customer_verified"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"v": 2}, "statement.v"),
        ({"verification_id": "0197f7f0-0000-7000-8000-000000000009"}, "statement.verification_id"),
        ({"ticket_id": "0197f7f0-0000-7000-8000-000000000009"}, "statement.ticket_id"),
        ({"criterion_key": "b2"}, "statement.criterion_key"),
        ({"stage": "task"}, "statement.stage"),
        ({"type": "test_report"}, "statement.type"),
        ({"payload": {**PASSED, "more": 1}}, "statement.payload.more"),
        ({"more": 1}, "statement.more"),
        ({"signed_at": "2020-01-01T00:00:00Z"}, "statement.signed_at"),
        ({"signed_at": "2090-01-01T00:00:00Z"}, "statement.signed_at"),
    ],
)
def test_a_mismatch_names_the_field(review: Review, changes: dict[str, Any], path: str) -> None:
    assert f"{AT}.{path}" in paths(review.decide(review.item(review.statement(**changes))))
    assert undecided(review)


def test_every_fault_of_every_result_is_named_at_once(desk: Desk) -> None:
    review = Review(desk, criteria=CRITERIA)
    wrong = review.item(review.statement(stage="task", v=3))
    forged = review.item(review.statement(criterion_key="b2", payload=LINTED), "b2")
    forged["attestation"]["signature"] = base64url(b"7" * 64)
    assert paths(review.decide(wrong, forged)) == {
        f"{AT}.statement.stage",
        f"{AT}.statement.v",
        "evidence[1].attestation.signature",
    }


def test_signatures_of_others_do_not_hold(review: Review, other: Desk) -> None:
    raw = review.statement()
    stranger, own = Signer(), review.item(raw)
    der = base64url(review.signer.der_signature(raw))
    altered = base64url(raw.replace(b'"exit_code": 0', b'"exit_code":  0'))
    for sent, path in (
        ({**own["attestation"], "signature": base64url(stranger.sign(raw))}, "signature"),
        ({**own["attestation"], "signature": der}, "signature"),
        ({**own["attestation"], "statement": altered}, "signature"),
        (stranger.attest(raw), "key"),
        ({**own["attestation"], "key": stranger.fingerprint}, "key"),
    ):
        assert paths(review.decide({**own, "attestation": sent})) == {f"{AT}.{path}"}
    assert undecided(review)


def test_another_orgs_key_is_unknown(review: Review, other: Desk) -> None:
    foreign = Review(other)
    review.signer = foreign.signer
    assert paths(review.decide(review.item())) == {f"{AT}.key"}


def test_a_revoked_key_signs_nothing_more(review: Review) -> None:
    review.key_revoke()
    reply = review.decide(review.item())
    assert paths(reply) == {f"{AT}.key"}
    assert "revoked" in reply.details["fields"][0]["message"]


def test_revoking_marks_what_was_signed_and_undoes_nothing(review: Review) -> None:
    review.decide(review.item()).ok()
    review.key_revoke()
    evidence = newest(review)
    assert evidence["attestation"]["key_revoked_at"]
    assert evidence["trust_label"] == "customer_verified"
    assert review.ticket["verifications"][-1]["assurance"] == "customer_verified"
    assert review.ticket["state"] == "blocker_resolved"


def test_a_statement_counts_once_whichever_s_signs_it(desk: Desk) -> None:
    review = Review(desk, criteria=CRITERIA)
    first = review.item()
    again = json.loads(json.dumps(first))
    raw = base64url_decode(first["attestation"]["signature"]) or b""
    other_s = ORDER - int.from_bytes(raw[32:], "big")
    again["attestation"]["signature"] = base64url(raw[:32] + other_s.to_bytes(32, "big"))
    for twin in (first, again):
        assert "evidence[1].attestation.statement" in paths(review.decide(first, twin))
    review.decide(again).ok()


def test_a_statement_of_before_is_told_as_such(review: Review) -> None:
    review.decide(review.item(), decision="reject").ok()
    review.submit()
    again = review.statement()
    known = Attestation.objects.of(review.desk.org.id)
    known.update(statement_sha256=sha256(again).hexdigest())
    assert paths(review.decide(review.item(again))) == {f"{AT}.statement"}


@pytest.mark.parametrize("minutes", [14, 20, 70])
def test_a_check_may_take_longer_than_a_quarter_of_an_hour(review: Review, minutes: int) -> None:
    """Signed while the verifier held the job, delivered late, while nobody else holds it."""
    raw = review.statement()
    with time_machine.travel(clock.now() + timedelta(minutes=minutes), tick=True):
        review.decide(review.item(raw)).ok()


def test_what_was_signed_before_the_claim_is_stale(review: Review) -> None:
    early = clock.wire(clock.now() - timedelta(minutes=10))
    raw = review.statement(signed_at=early)
    with time_machine.travel(clock.now() + timedelta(minutes=10), tick=True):
        assert paths(review.decide(review.item(raw))) == {f"{AT}.statement.signed_at"}
    assert undecided(review)


def test_the_payload_beside_it_is_what_was_signed_or_absent(review: Review) -> None:
    other = {**PASSED, "output_excerpt": "added 1 package"}
    assert paths(review.decide(review.item(payload=other))) == {"evidence[0].payload"}
    review.decide(review.item(payload=PASSED)).ok()


def test_a_command_that_is_not_the_criterions_is_refused(review: Review) -> None:
    raw = review.statement(payload={"command": "true", "exit_code": 0})
    reply = review.decide(review.item(raw))
    assert reply.status == 422
    assert undecided(review)


def test_a_statement_with_a_secret_leaves_its_hash_alone(review: Review) -> None:
    raw = review.statement(payload={**PASSED, "output_excerpt": f"token {SECRET}"})
    review.decide(review.item(raw)).ok()
    evidence = newest(review)
    assert SECRET not in json.dumps(review.ticket)
    assert set(evidence["attestation"]) == {"key", "signature", "signed_at", "statement_sha256"}
    row = Attestation.objects.of(review.desk.org.id).get()
    assert row.statement is None


def test_a_huge_statement_is_a_plain_422(review: Review) -> None:
    sent = review.item()
    sent["attestation"]["statement"] = "A" * 600_000
    assert paths(review.decide(sent)) == {f"{AT}.statement"}
    sent["attestation"]["statement"] = "A" * 2_000_000
    assert review.decide(sent).status == 413


@pytest.mark.parametrize(
    "attestation", [{}, {"key": "x"}, {"key": 1, "statement": [], "signature": {}}, "x", []]
)
def test_an_odd_attestation_is_a_422(review: Review, attestation: Any) -> None:
    sent = {"criterion": "b1", "type": "command_run", "attestation": attestation}
    assert all(path.startswith(AT) for path in paths(review.decide(sent)))
    assert undecided(review)


def test_the_decider_is_named_and_the_solver_hears_of_it(review: Review) -> None:
    review.decide(review.item()).ok()
    by = newest(review)["by"]
    assert by["name"] == "verifier"
    assert Actor.objects.of(review.desk.org.id).filter(id=by["id"], kind="agent").exists()


def test_a_key_that_is_revoked_meanwhile_is_noticed_in_the_write(review: Review) -> None:
    review.decide(review.item()).ok()
    org = review.desk.org.id
    rows = evidence_list(Verification.objects.of(org).get().ticket_id, org)
    keys_recheck(org, rows)
    review.key_revoke()
    with pytest.raises(Stale):
        keys_recheck(org, evidence_list(rows[0].ticket_id, org))


def test_many_signed_results_are_read_with_as_few_statements(desk: Desk) -> None:
    criteria = [
        {"description": "d", "method": "command", "command": f"check {n}", "expected": "0"}
        for n in range(1, 21)
    ]
    review = Review(desk, criteria=criteria)
    items = [
        review.item(
            review.statement(
                criterion_key=f"b{n}", payload={"command": f"check {n}", "exit_code": 0}
            ),
            f"b{n}",
        )
        for n in range(1, 21)
    ]
    job = Verification.objects.of(desk.org.id).get()
    sent = [
        DecidedEvidence(one["criterion"], one["type"], attestation=one["attestation"])
        for one in items
    ]
    actor = caller_of_membership(desk.people["alice"])
    with CaptureQueriesContext(connection) as asked:
        found, faults = signed_evidence(actor=actor, job=job, sent=sent, now=clock.now())
    assert (len(asked), faults, None in found) == (2, [], False)
    path = f"/api/v1/tickets/{review.ref}"
    with CaptureQueriesContext(connection) as before:
        review.solver.get(path).ok()
    review.decide(*items).ok()
    with CaptureQueriesContext(connection) as after:
        evidence = review.solver.get(path).ok()["ticket"]["evidence"]
    assert sum(one["attestation"] is not None for one in evidence) == 20
    # Approved, the ticket has some more to say; not one statement for each result.
    assert len(after) <= len(before) + 4
