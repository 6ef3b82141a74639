"""A person decides on a fix at the ticket's page: what they see, what they may, what it does."""

import re
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from policy.models import Policy
from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.lib.models import Timer
from tests.api.refusals import nothing_changes
from tests.matrix.scene import LOOKS, approval
from tests.pages.acting import done, hidden, page_of, send, signed_in
from tests.support import Api, Desk, file_ticket, prove
from tests.verification.reviewing import VERIFIER
from tickets.models import Ticket
from verification.models import Verification

COMMAND = {
    "description": "A clean install works",
    "method": "command",
    "command": "npm ci",
    "expected": "exits 0",
}


def waiting(
    desk: Desk, policy: Approval = Approval.PERSON, solver: Api | None = None, *more: Any
) -> Api:
    """SB-1 submitted by an agent, or by who is named."""
    approval(desk, policy)
    file_ticket(desk.agent("stuck"), blocker_criteria=[COMMAND, *more])
    solver = solver or desk.agent("ci-7")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    prove(solver, "SB-1", output_excerpt="added 312 packages").ok(201)
    solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    return solver


def job(desk: Desk) -> Verification:
    rows = Verification.objects.of(desk.org.id).select_related("reason", "decided_by")
    return rows.order_by("-id")[0]


def words_of(page: str) -> str:
    """What stands in the page, without its elements."""
    return " ".join(re.sub(r"<[^>]+>", "", page).split())


def needs_of(page: str) -> str:
    start = page.index('id="ticket-needs"')
    return words_of(page[start : page.index('id="ticket-proof"', start)])


def test_the_evidence_is_in_view_where_it_is_decided_on(desk: Desk) -> None:
    waiting(desk, Approval.PERSON, None, LOOKS)
    text = needs_of(page_of(signed_in(desk, "bob"), "/tickets/SB-1"))
    for said in (
        "A person has to look at the proof and approve the fix or reject it.",
        "Submitted by ci-7, just now.",
        "Your policy asks a person for every fix.",
        "Something can only be seen by a person.",
        "If nobody says anything it stays like this",
        "A clean install works",
        "Passed",
        "Self-reported",
        "Whoever did the work says so.",
        "An agent wrote this command. Read it before you run it.",
        "added 312 packages",
        "The pictures look right",
        "Waits for a person",
        "I looked at this myself",
        "Approve the fix",
        "Reject it",
        "After 2 more rejections a person is asked.",
    ):
        assert said in text, said


def test_approving_says_who_and_why(desk: Desk) -> None:
    waiting(desk)
    client = signed_in(desk, "bob")
    done(send(client, "SB-1", "approve", reason="I ran it too."))
    text = words_of(page_of(client, "/tickets/SB-1"))
    assert "You approved the fix." in text
    assert "Approved by a person who had no part in the work." in text
    assert "Approved by bob@acme.example, just now." in text or "Approved by bob" in text
    assert "I ran it too." in text
    assert job(desk).decided_by_id == desk.people["bob"].actor_id


def test_a_reason_is_optional_to_approve_and_asked_for_to_reject(desk: Desk) -> None:
    waiting(desk)
    client = signed_in(desk, "bob")
    for typed in ("", "   ", "\u200b"):
        response = send(client, "SB-1", "reject", reason=typed)
        assert response.status_code == 422
        assert "This field is required" in response.content.decode()
    done(send(client, "SB-1", "approve", reason=""))
    assert (job(desk).state, job(desk).reason) == ("approved", None)


def test_rejecting_sends_it_back_and_counts(desk: Desk) -> None:
    solver = waiting(desk)
    client = signed_in(desk, "bob")
    for count in (1, 2):
        done(send(client, "SB-1", "reject", reason=f"It fails here, {count}."))
        text = words_of(page_of(client, "/tickets/SB-1"))
        assert f"It fails here, {count}." in text
        assert f"Rejections so far: {count} of 3, after which a person is asked." in text
        prove(solver, "SB-1").ok(201)
        solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    assert "rejected as often as your policy bears" in words_of(page_of(client, "/tickets/SB-1"))
    done(send(client, "SB-1", "reject", reason="Again."))
    text = words_of(page_of(client, "/tickets/SB-1"))
    assert "A person has to decide" in text
    assert "approve it where its proof is enough" in text
    assert "It was rejected as often as the policy bears, so a person is asked." in text
    assert "Decided so far" in text


def test_what_rests_on_a_person_has_to_be_ticked(desk: Desk) -> None:
    waiting(desk, Approval.AUTOMATIC, None, LOOKS)
    client = signed_in(desk, "bob")
    with nothing_changes():
        for looked in ([], ["b1"]):
            response = send(client, "SB-1", "approve", reason="Fine by me", looked=looked)
            page = response.content.decode()
            assert response.status_code == 422
            assert "Fine by me" in page
    assert "Look at each of these yourself, then tick it." in words_of(page) or "b1" in page
    done(send(client, "SB-1", "approve", reason="", looked=["b2"]))
    assert job(desk).details["unproved"] == {"manual": ["b2"]}
    text = words_of(page_of(client, "/tickets/SB-1"))
    assert "I looked at this myself." in text
    assert "This rested on whoever approved it: The pictures look right" in text


def test_a_manual_check_is_marked_as_met_with_a_note(desk: Desk) -> None:
    waiting(desk, Approval.PERSON, None, LOOKS)
    client = signed_in(desk, "bob")
    assert 'href="/tickets/SB-1/met?criterion=b2"' in page_of(client, "/tickets/SB-1")
    assert "The pictures look right" in page_of(client, "/tickets/SB-1/met?criterion=b2")
    for key in ("b1", "b9"):
        page_of(client, f"/tickets/SB-1/met?criterion={key}", 404)
    assert send(client, "SB-1", "met", criterion="b2", note="").status_code == 422
    done(send(client, "SB-1", "met", criterion="b2", note="All six are sharp."))
    page = page_of(client, "/tickets/SB-1")
    assert "All six are sharp." in page
    assert "/met?" not in page
    assert "I looked at this myself" not in page
    done(send(client, "SB-1", "approve", reason=""))


def test_whoever_did_the_work_hears_why_they_may_not(desk: Desk) -> None:
    waiting(desk, Approval.PERSON, desk.person("bob"))
    bob, told = signed_in(desk, "bob"), "another member has to approve it"
    page = page_of(bob, "/tickets/SB-1")
    assert told in needs_of(page)
    assert "Reject the fix" in needs_of(page)
    assert 'action="/tickets/SB-1/approve"' not in page
    assert told in page_of(bob, "/tickets/SB-1/approve", 409)
    with nothing_changes():
        response = send(bob, "SB-1", "approve", reason="Mine is good")
        assert response.status_code == 403
        assert told in response.content.decode()
    done(send(signed_in(desk, "alice"), "SB-1", "approve", reason=""))
    assert job(desk).assurance == "person_approved"


def test_where_nobody_else_may_it_says_what_the_approval_is_worth(desk: Desk) -> None:
    User.objects.filter(email="alice@acme.example").update(is_active=False)
    waiting(desk, Approval.PERSON, desk.person("bob"))
    bob = signed_in(desk, "bob")
    assert "Your approval will say so." in needs_of(page_of(bob, "/tickets/SB-1"))
    done(send(bob, "SB-1", "approve", reason=""))
    text = words_of(page_of(bob, "/tickets/SB-1"))
    assert "Approved by the person who did the work." in text


def test_a_viewer_hears_who_decides(desk: Desk) -> None:
    waiting(desk)
    page = page_of(signed_in(desk, "carol"), "/tickets/SB-1")
    assert "Members approve or reject." in needs_of(page)
    assert "<form" not in page[page.index("<main") :]


def test_while_it_waits_for_a_verifier_the_page_says_since_when(desk: Desk) -> None:
    waiting(desk, Approval.AGENT)
    client = signed_in(desk, "bob")
    text = needs_of(page_of(client, "/tickets/SB-1"))
    assert "Another agent is to check the fix." in text
    assert "It has waited since" in text
    assert "Your policy asks no person instead, however long it takes." in text
    verifier = desk.agent("verifier-2", scopes=list(VERIFIER))
    verifier.post(f"/api/v1/verifications/{job(desk).id}/claim").ok()
    text = needs_of(page_of(client, "/tickets/SB-1"))
    assert "Checked by verifier-2 until" in text
    assert "asks no person" not in text
    # A person need not wait for it.
    assert "Approve the fix" in text
    assert "A clean install works" in page_of(client, "/tickets/SB-1/approve")
    done(send(client, "SB-1", "approve", reason=""))


def test_it_says_when_a_person_is_asked_instead(desk: Desk) -> None:
    approval(desk, Approval.AGENT)
    Policy.objects.of(desk.org.id).update(verifier_wait_minutes=30)
    file_ticket(desk.agent("stuck"))
    solver = desk.agent("ci-7")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    prove(solver, "SB-1").ok(201)
    solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    due = Timer.objects.of(desk.org.id).get(subject=job(desk).id).due_at
    assert due - job(desk).submitted_at == timedelta(minutes=30)
    page = page_of(signed_in(desk, "bob"), "/tickets/SB-1")
    assert "If no verifier has decided by" in page
    assert f'datetime="{clock.wire(due)}"' in page


def test_an_agent_has_to_agree_first(desk: Desk) -> None:
    waiting(desk, Approval.AGENT_THEN_PERSON)
    client, told = signed_in(desk, "bob"), "Another agent has to agree first."
    page = page_of(client, "/tickets/SB-1")
    assert "/tickets/SB-1/approve" not in page
    assert "/tickets/SB-1/reject" in page
    assert told in page_of(client, "/tickets/SB-1/approve", 409)
    with nothing_changes():
        response = send(client, "SB-1", "approve", reason="")
    assert (response.status_code, told in response.content.decode()) == (409, True)
    verifier = desk.agent("verifier-2", scopes=list(VERIFIER))
    path = f"/api/v1/verifications/{job(desk).id}"
    verifier.post(f"{path}/claim").ok()
    verifier.post(f"{path}/decision", {"decision": "approve", "reason": "Ran it anew"}).ok()
    text = words_of(page_of(client, "/tickets/SB-1"))
    assert "Another agent checked it and agreed. A person has the last word." in text
    assert "verifier-2 checked the fix and agreed." in text
    assert "Verifier confirmed" in text
    done(send(client, "SB-1", "approve", reason=""))


def test_a_package_that_its_solver_changed_is_shown_with_the_change(desk: Desk) -> None:
    approval(desk, Approval.PERSON)
    hostile = "<script>alert(1)</script>\u202e"
    file_ticket(desk.agent("stuck"), blocker_criteria=[COMMAND], next_steps=["Add python3"])
    solver = desk.agent("ci-7")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    package = desk.person("alice").get("/api/v1/tickets/SB-1").ok()["ticket"]["content"]["package"]
    changed = {**package, "next_steps": ["Add python3 and make", hostile]}
    solver.post("/api/v1/tickets/SB-1/package", {"package": changed}).ok()
    prove(solver, "SB-1").ok(201)
    solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    page = page_of(signed_in(desk, "bob"), "/tickets/SB-1")
    text = needs_of(page)
    assert "Whoever worked on it changed the package before submitting" in text
    assert "What to try next" in text
    assert "Gone: • Add python3 New: • Add python3 and make" in text
    assert "<script>alert" not in page


def test_approving_is_a_way_out_of_needing_a_person(desk: Desk) -> None:
    approval(desk, Approval.PERSON)
    file_ticket(desk.agent("stuck"), blocker_criteria=[COMMAND])
    solver = desk.agent("ci-7")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    client = signed_in(desk, "bob")
    prove(solver, "SB-1", exit_code=1).ok(201)
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": "Only here it fails."}).ok()
    page = page_of(client, "/tickets/SB-1")
    assert "/tickets/SB-1/approve" not in page
    assert "It cannot be approved while a check fails." in page_of(
        client, "/tickets/SB-1/approve", 409
    )
    done(send(client, "SB-1", "send-back", note="Try once more", to="solver"))
    prove(solver, "SB-1").ok(201)
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": "It passes. Is that enough?"}).ok()
    page = page_of(client, "/tickets/SB-1")
    assert 'href="/tickets/SB-1/approve"' in page
    assert "Is that enough?" in page
    assert "A clean install works" in page_of(client, "/tickets/SB-1/approve")
    done(send(client, "SB-1", "approve", reason="It is."))
    assert Ticket.objects.of(desk.org.id).get().state == "blocker_resolved"
    assert job(desk).assurance == "person_approved"


def test_the_same_form_twice_is_done_once(desk: Desk) -> None:
    waiting(desk)
    client = signed_in(desk, "bob")
    form = hidden(client, "/tickets/SB-1") | {"reason": "It still fails."}
    for _ in range(3):
        assert client.post("/tickets/SB-1/reject", form).status_code == 303
    assert Verification.objects.of(desk.org.id).filter(state="rejected").count() == 1
    assert "That was done already." in page_of(client, "/tickets/SB-1")


@pytest.mark.parametrize("slug", ["approve", "reject"])
def test_a_stale_form_is_refused_with_what_was_typed_kept(desk: Desk, slug: str) -> None:
    waiting(desk, Approval.PERSON, None, LOOKS)
    bob, alice = signed_in(desk, "bob"), signed_in(desk, "alice")
    form = hidden(bob, "/tickets/SB-1") | {"reason": "As I see it.", "looked": "b2"}
    done(send(alice, "SB-1", "met", criterion="b2", note="They are sharp."))
    with nothing_changes():
        response = bob.post(f"/tickets/SB-1/{slug}", form)
    page = response.content.decode()
    if slug == "reject":
        assert response.status_code == 409
        assert "What happened meanwhile" in page
        assert "<bdi>b2</bdi> is met." in page
    else:
        # There is nothing left to tick: the form itself is another one by now.
        assert response.status_code in (409, 422)
    assert "As I see it." in page


def test_two_people_at_once_make_one_decision(desk: Desk) -> None:
    waiting(desk)
    bob, alice = signed_in(desk, "bob"), signed_in(desk, "alice")
    form = hidden(bob, "/tickets/SB-1") | {"reason": "No, it still fails."}
    done(send(alice, "SB-1", "approve", reason=""))
    with nothing_changes():
        response = bob.post("/tickets/SB-1/reject", form)
    page = response.content.decode()
    assert response.status_code == 409
    assert "the ticket has moved on" in page
    assert "No, it still fails." in page
    assert "Post it as a comment" in page


def test_talk_does_not_get_in_the_way(desk: Desk) -> None:
    waiting(desk)
    bob, alice = signed_in(desk, "bob"), signed_in(desk, "alice")
    form = hidden(bob, "/tickets/SB-1") | {"reason": ""}
    done(send(alice, "SB-1", "comment", body="I look at it tomorrow."))
    assert bob.post("/tickets/SB-1/approve", form).status_code == 303


def test_each_page_takes_few_statements(desk: Desk, django_assert_max_num_queries: Any) -> None:
    waiting(desk, Approval.PERSON, None, LOOKS)
    client = signed_in(desk, "bob")
    for _ in range(2):
        for path in ("/tickets/SB-1", "/tickets/SB-1/approve", "/tickets/SB-1/met?criterion=b2"):
            page_of(client, path)
    for path in ("/tickets/SB-1", "/tickets/SB-1/approve", "/tickets/SB-1/met?criterion=b2"):
        with django_assert_max_num_queries(12):
            page_of(client, path)
