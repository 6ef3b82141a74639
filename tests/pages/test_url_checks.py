"""What a person sees of the desk's own checks of addresses: under way, done, not possible."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.lib.outgoing import Answered, Refused, Unanswered
from stuckbot.site.usecases.url_check import url_checked
from tests.matrix.scene import approval
from tests.pages.acting import done, page_of, send, signed_in
from tests.pages.test_deciding import needs_of, words_of
from tests.support import Api, Desk, file_ticket
from verification.models import UrlCheck

URL = "https://status.example.com/healthz"
CHECK = {
    "description": "The status page answers",
    "method": "external_check",
    "url": URL,
    "expected": "200 OK",
}
PLACE = "/api/v1/tickets/SB-1"
OK = Answered(status=200, address="93.184.216.34", took_ms=412, allowed=False)
ERROR = Answered(status=500, address="93.184.216.34", took_ms=1_260, allowed=False)
LOST = Unanswered(reason="no_such_name", address="", took_ms=30, allowed=False)
PRIVATE = Refused("not_public")


@pytest.fixture
def person(desk: Desk) -> Client:
    return signed_in(desk, "bob")


@pytest.fixture
def held(stuck: Api, solver: Api) -> Api:
    file_ticket(stuck, blocker_criteria=[CHECK])
    solver.post(f"{PLACE}/claim", {}).ok()
    return solver


def report(solver: Api, **payload: Any) -> None:
    sent = {"criterion": "b1", "type": "external_check", "payload": {"url": URL, **payload}}
    solver.post(f"{PLACE}/evidence", sent).ok(201)


def submit(solver: Api) -> None:
    solver.post(f"{PLACE}/submit", {"stage": "blocker", "outcome": "It is up again."}).ok()


def look(desk: Desk) -> UrlCheck:
    return UrlCheck.objects.of(desk.org.id).order_by("-created_at", "-id")[0]


def tries(desk: Desk, *seen: Answered | Unanswered | Refused) -> None:
    """The desk's own tries of the newest check, one after the other, as its checker has them."""
    for one in seen:
        row = look(desk)
        UrlCheck.objects.of(desk.org.id).filter(id=row.id).update(takes=row.takes + 1)
        url_checked(look(desk), one)


def proof_of(page: str) -> str:
    start = page.index('id="ticket-proof"')
    return words_of(page[start : page.index("</section>", start)])


def ticket_page(person: Client) -> str:
    return page_of(person, "/tickets/SB-1")


def test_before_anything_was_reported_it_says_that_the_desk_looks_itself(
    held: Api, person: Client
) -> None:
    said = proof_of(ticket_page(person))
    assert "Not reported yet. Once it is, StuckBot opens the address" in said
    assert f"Address {URL}" in said


def test_a_check_under_way_says_how_far_it_is(desk: Desk, held: Api, person: Client) -> None:
    report(held, status=200)
    said = proof_of(ticket_page(person))
    assert "Waits for StuckBot's own check" in said.replace("&#x27;", "'")
    assert f"StuckBot opens {URL} as soon as it can." in said
    assert "Self-reported" not in said, "what the solver says of it counts for nothing"
    UrlCheck.objects.of(desk.org.id).update(under_way=True)
    assert f"StuckBot is opening {URL}, try 1 of 3." in proof_of(ticket_page(person))
    tries(desk, LOST)
    said = proof_of(ticket_page(person))
    assert f"Try 1 of 3 to open {URL} came to nothing: no such name." in said
    assert "The next is in about 15 s." in said


def test_a_page_with_a_check_under_way_is_read_anew_each_time(
    desk: Desk, held: Api, person: Client
) -> None:
    before = person.get("/tickets/SB-1")
    assert before.headers["ETag"]
    report(held)
    running = person.get("/tickets/SB-1", headers={"If-None-Match": before.headers["ETag"]})
    assert running.status_code == 200
    assert "ETag" not in running.headers
    assert 'data-etag=""' in running.content.decode()
    tries(desk, OK)
    with time_machine.travel(clock.now(), tick=False):  # it is new each minute besides
        tag = person.get("/tickets/SB-1").headers["ETag"]
        assert person.get("/tickets/SB-1", headers={"If-None-Match": tag}).status_code == 304


def test_an_answer_is_shown_with_status_time_and_whose_word_it_is(
    desk: Desk, held: Api, person: Client
) -> None:
    report(held)
    tries(desk, OK)
    said = proof_of(ticket_page(person))
    for part in (
        "Passed",
        "Checked by StuckBot",
        "StuckBot, just now",
        "answered 200 after 412 ms",
    ):
        assert part in said, part
    assert "StuckBot looked for itself." in said
    assert "1 earlier result no longer counts" in said
    page = words_of(ticket_page(person))
    assert "StuckBot opened the address of b1 itself, and it passes." in page


def test_one_that_fails_says_what_came_and_what_was_wanted(
    desk: Desk, held: Api, person: Client
) -> None:
    report(held, status=200)
    tries(desk, ERROR)
    said = proof_of(ticket_page(person))
    assert "Failed" in said
    assert "It answered 500 after 1.3 s. Wanted: 200 OK." in said
    assert "and it fails." in words_of(ticket_page(person))


def test_one_that_could_not_be_checked_says_why_and_what_its_holder_does(
    desk: Desk, held: Api, person: Client
) -> None:
    report(held)
    tries(desk, PRIVATE)
    page = ticket_page(person)
    said = proof_of(page)
    for part in (
        "Could not be checked",
        "It leads into a private network, and StuckBot opens only public addresses.",
        "Nothing was sent there.",
        "StuckBot will not open it. Submitted as it is, somebody looks at it instead.",
        f"The address: {URL}",
    ):
        assert part in said, part
    assert "Checked by StuckBot" not in said
    assert f'<a href="{URL}" rel="noopener noreferrer nofollow">' in page
    assert "StuckBot could not check b1: not public." in words_of(page)


def test_after_three_tries_it_says_so(desk: Desk, held: Api, person: Client) -> None:
    report(held)
    tries(desk, LOST, LOST, Unanswered("timeout", "93.184.216.34", 10_000, False))
    said = proof_of(ticket_page(person))
    assert "It gave no answer within 10 seconds. Tried 3 times." in said


def test_a_host_that_the_operator_allows_is_named_as_such(
    desk: Desk, held: Api, person: Client
) -> None:
    report(held)
    tries(desk, Answered(200, "10.1.2.3", 12, True))
    said = proof_of(ticket_page(person))
    assert "It is a private address that whoever runs StuckBot allows." in said
    assert "10.1.2.3" not in said


def test_submitted_while_it_runs_the_ticket_is_yellow_and_asks_for_nothing(
    desk: Desk, held: Api, person: Client
) -> None:
    report(held)
    submit(held)
    page = ticket_page(person)
    assert "Nothing from you. StuckBot is running its own checks." in words_of(page)
    assert "StuckBot is checking the fix." in words_of(page)
    assert 'class="ticket yellow"' in page
    assert 'title="checks_running"' in page_of(person, "/?color=yellow")


def test_what_could_not_be_checked_is_a_person_s_to_decide(
    desk: Desk, held: Api, person: Client
) -> None:
    approval(desk, Approval.AUTOMATIC)
    report(held)
    submit(held)
    tries(desk, PRIVATE)
    needs = needs_of(ticket_page(person))
    for part in (
        "A person has to look at the proof and approve the fix or reject it.",
        "Something could not be checked, so it rests on you.",
        "Open it yourself from where it can be reached, then decide.",
        "The status page answers (could not be checked: not public)",
        "I looked at this myself",
    ):
        assert part in needs, part
    assert "send proof again" not in needs
    row = words_of(page_of(person, "/?color=red"))
    assert "StuckBot could not open “status.example.com”: not public." in row
    assert send(person, "SB-1", "approve", reason="Seen.").status_code == 422
    done(send(person, "SB-1", "approve", reason="I opened it on the office net.", looked=["b1"]))
    page = words_of(ticket_page(person))
    assert "StuckBot could not check this; it was approved all the same:" in page
    archived = words_of(page_of(person, "/archive"))
    assert "could not open" not in archived


@pytest.mark.parametrize("kind", [Approval.AGENT, Approval.AGENT_THEN_PERSON])
def test_what_is_a_verifier_s_to_decide_asks_nothing_of_who_reads(
    kind: Approval, desk: Desk, held: Api, person: Client
) -> None:
    approval(desk, kind)
    report(held)
    submit(held)
    tries(desk, PRIVATE)
    page = words_of(ticket_page(person))
    assert "It leads into a private network" in page
    assert "The agent that checks the fix is told, and decides." in page
    assert "Open it yourself" not in page


def test_nobody_is_asked_while_another_check_runs(
    desk: Desk, stuck: Api, solver: Api, person: Client
) -> None:
    second = {**CHECK, "description": "So does the shop", "url": "https://shop.example.com/"}
    file_ticket(stuck, blocker_criteria=[CHECK, second])
    solver.post(f"{PLACE}/claim", {}).ok()
    sent = {"criterion": "b2", "type": "external_check", "payload": {"url": second["url"]}}
    solver.post(f"{PLACE}/evidence", sent).ok(201)
    report(solver)
    submit(solver)
    tries(desk, PRIVATE)
    page = words_of(ticket_page(person))
    assert "It leads into a private network" in page
    assert "Open it yourself" not in page


def test_every_part_of_its_past_is_in_the_log(desk: Desk, held: Api, person: Client) -> None:
    report(held)
    tries(desk, LOST, LOST, LOST)
    report(held)
    report(held, note="Now it is up.")
    tries(desk, OK)
    log = words_of(page_of(person, "/tickets/SB-1/proof/b1")).replace("&#x27;", "'")
    assert log.count("Nobody knows a machine of this name.") == 1, "not with the report too"
    assert log.count("Left to StuckBot's own check") == 3
    for part in (
        "It answered 200 after 412 ms.",
        "Reported anew before it was opened.",
        "Nobody knows a machine of this name.",
        "Now it is up.",
    ):
        assert part in log, part


def test_sending_proof_by_hand_says_that_the_desk_looks_itself(
    stuck: Api, bob: Api, person: Client
) -> None:
    file_ticket(stuck, blocker_criteria=[CHECK])
    bob.post(f"{PLACE}/claim", {}).ok()
    form = words_of(page_of(person, "/tickets/SB-1/evidence?criterion=b1"))
    assert "StuckBot opens the address itself, and only what it sees there counts." in form
    done(send(person, "SB-1", "evidence", criterion="b1", url=URL))
    assert f"StuckBot opens {URL} as soon as it can." in words_of(ticket_page(person))


def test_a_check_that_found_nothing_to_count_for_is_told_in_the_log(
    desk: Desk, held: Api, person: Client
) -> None:
    report(held)
    held.post(f"{PLACE}/release", {"note": "Out of time"}).ok()
    tries(desk, OK)
    said = proof_of(ticket_page(person))
    assert "Checked by StuckBot" not in said
    assert "Nobody was at work on it any more, so that counts for nothing." in said
    assert "No result that counts" in said
    assert "Waits for StuckBot" not in said
    assert "Send proof again" not in said
    held.post(f"{PLACE}/claim").ok()
    assert "Send proof again, and StuckBot opens it anew." in proof_of(ticket_page(person))
    assert "It answered 200" in words_of(page_of(person, "/tickets/SB-1/proof/b1"))


def test_it_stays_bounded_by_time(desk: Desk, held: Api, person: Client) -> None:
    """A checker that is away for long leaves a page that says so and does not break."""
    report(held)
    UrlCheck.objects.of(desk.org.id).update(due_at=clock.now() - timedelta(days=2))
    assert "as soon as it can." in proof_of(ticket_page(person))
