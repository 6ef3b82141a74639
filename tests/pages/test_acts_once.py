"""Two tabs, a double click, the back button, an ended session: done once, nothing typed lost."""

import threading
from typing import Any

import pytest
import time_machine
from django.db import OperationalError, connection
from django.test import Client

from stuckbot.lib import clock, ratelimit
from stuckbot.lib.models import Event, Idempotency
from stuckbot.site.pages import acts_once
from tests.api.refusals import nothing_changes
from tests.matrix.scene import Scene
from tests.pages.acting import SIGNED_IN_BY, done, hidden, page_of, send, signed_in
from tests.support import Api, Desk, file_ticket
from tests.tickets.test_findings import SECRET
from tickets.models import Note, Ticket
from tickets.selectors import facts_get

PLACE = "/tickets/SB-1"


@pytest.fixture
def bob_reads(desk: Desk) -> Client:
    return signed_in(desk, "bob")


@pytest.fixture
def alice_reads(desk: Desk) -> Client:
    return signed_in(desk, "alice")


def stuck_on_a_person(desk: Desk) -> Scene:
    scene = Scene(desk, desk.agent("stuck"), desk.agent("solver"), "takeover")
    scene.reach("needs_human")
    return scene


def told(desk: Desk) -> list[str]:
    return list(Event.objects.of(desk.org.id).order_by("seq").values_list("type", flat=True))


def test_a_form_that_is_sent_twice_is_done_once(bob_reads: Client, stuck: Api, desk: Desk) -> None:
    file_ticket(stuck)
    form = {**hidden(bob_reads, PLACE), "body": "Seen"}
    done(bob_reads.post(f"{PLACE}/comment", form))
    again = bob_reads.post(f"{PLACE}/comment", form, follow=True)
    assert "That was done already. It was not done again." in again.content.decode()
    assert Note.objects.of(desk.org.id).count() == 1


def test_a_form_that_was_changed_meanwhile_is_another(
    bob_reads: Client, stuck: Api, desk: Desk
) -> None:
    """Back, write something else, send: two comments were meant."""
    file_ticket(stuck)
    form = hidden(bob_reads, PLACE)
    done(bob_reads.post(f"{PLACE}/comment", {**form, "body": "Seen"}))
    done(bob_reads.post(f"{PLACE}/comment", {**form, "body": "Seen and done"}))
    assert Note.objects.of(desk.org.id).count() == 2


def test_the_same_key_by_another_person_is_no_repeat(
    bob_reads: Client, alice_reads: Client, stuck: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    form = {**hidden(bob_reads, PLACE), "body": "Seen"}
    for client in (bob_reads, alice_reads):
        done(client.post(f"{PLACE}/comment", form))
    assert Note.objects.of(desk.org.id).count() == 2


def test_what_was_refused_may_be_sent_again(bob_reads: Client, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    form = {**hidden(bob_reads, PLACE), "body": "On it"}
    assert bob_reads.post(f"{PLACE}/update", form).status_code == 409
    done(send(bob_reads, "SB-1", "claim"))
    done(bob_reads.post(f"{PLACE}/update", form))


@pytest.mark.parametrize("key", ["", "x" * 65, None])
def test_a_form_without_a_good_key_is_just_done(
    key: str | None, bob_reads: Client, stuck: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    sent = {"body": "Seen"} if key is None else {"body": "Seen", "key": key}
    for _ in range(2):
        done(bob_reads.post(f"{PLACE}/comment", sent))
    assert Note.objects.of(desk.org.id).count() == 2
    assert not Idempotency.objects.of(desk.org.id).exists()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("send-back", {"note": "Again", "to": "all"}), ("close", {"outcome": "Enough of it"})),
        (("take-over", {}), ("send-back", {"note": "Enough of it", "to": "all"})),
        (("close", {"outcome": ""}), ("reopen", {})),
        (("send-back", {"note": "Again", "to": "all"}), ("pause", {"reason": "Enough of it"})),
        (("pause", {"reason": ""}), ("pause", {"reason": "Enough of it"})),
        (("block", {"reason": "Wait"}), ("take-over", {})),
    ],
)
def test_the_second_tab_hears_what_the_first_did(
    first: tuple[str, Any], second: tuple[str, Any], bob_reads: Client, desk: Desk
) -> None:
    stuck_on_a_person(desk)
    seen = hidden(bob_reads, PLACE)
    done(bob_reads.post(f"{PLACE}/{first[0]}", {**seen, **first[1]}))
    with nothing_changes():
        response = bob_reads.post(f"{PLACE}/{second[0]}", {**seen, **second[1]})
    assert response.status_code == 409
    page = response.content.decode()
    assert 'role="alert"' in page
    assert "What happened meanwhile" in page
    assert "<bdi>bob</bdi>" in page.split("What happened meanwhile")[1]
    if "Enough of it" in second[1].values():
        assert "Enough of it" in page


def test_it_can_be_done_all_the_same_once_that_was_read(bob_reads: Client, desk: Desk) -> None:
    stuck_on_a_person(desk)
    seen = hidden(bob_reads, PLACE)
    done(bob_reads.post(f"{PLACE}/send-back", {**seen, "note": "Again", "to": "all"}))
    refused = bob_reads.post(f"{PLACE}/close", {**seen, "outcome": "Enough"})
    assert refused.status_code == 409
    done(bob_reads.post(f"{PLACE}/close", {**hidden(bob_reads, PLACE), "outcome": "Enough"}))
    assert told(desk)[-1] == "ticket_closed"


def test_talk_and_proof_keep_nobody_from_deciding(
    bob_reads: Client, stuck: Api, solver: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    seen = hidden(bob_reads, PLACE)
    stuck.post("/api/v1/tickets/SB-1/comments", {"body": "Still stuck"}).ok(201)
    done(bob_reads.post(f"{PLACE}/close", {**seen, "outcome": "Enough"}))


def test_what_happened_while_it_was_being_done_undoes_it(
    bob_reads: Client, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the plain read and before the write: looked at again inside the transaction."""
    scene = stuck_on_a_person(desk)
    member = desk.person("alice")
    seen = hidden(bob_reads, PLACE)

    def late(**who: Any) -> Any:
        monkeypatch.setattr(acts_once, "facts_get", facts_get)
        member.post(f"{scene.path}/send-back", {"note": "Once more"}).ok()
        return facts_get(**who)

    monkeypatch.setattr(acts_once, "facts_get", late)
    response = bob_reads.post(f"{PLACE}/close", {**seen, "outcome": "Enough"})
    assert response.status_code == 409
    assert (scene.row.state, told(desk)[-1]) == ("open", "ticket_sent_back")


def test_two_explanations_at_once_lose_neither(
    bob_reads: Client, alice_reads: Client, stuck: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    said = {"problem": "P", "impact": "I", "next_step": "N"}
    seen = hidden(bob_reads, f"{PLACE}/explain")
    done(send(alice_reads, "SB-1", "explain", **{**said, "problem": "What alice saw."}))
    response = bob_reads.post(f"{PLACE}/explain", {**seen, **said, "problem": "What bob saw."})
    assert response.status_code == 409
    page = response.content.decode()
    assert "What bob saw." in page
    assert "What alice saw." in page.split("What the explanation says now")[1].split("<form")[0]
    # A new version for another reason is in nobody's way.
    seen = hidden(bob_reads, f"{PLACE}/explain")
    done(send(alice_reads, "SB-1", "claim"))
    done(bob_reads.post(f"{PLACE}/explain", {**seen, **said, "problem": "What bob saw."}))
    assert Ticket.objects.of(desk.org.id).get().version == 4


@pytest.mark.django_db(transaction=True)
def test_a_double_click_is_done_once(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    session = signed_in(desk, "bob").cookies["sessionid"].value
    sender = Client()
    sender.cookies["sessionid"] = session
    form = {**hidden(sender, PLACE), "body": "Seen"}
    heard: list[int] = []

    def click() -> None:
        client = Client()
        client.cookies["sessionid"] = session
        heard.append(client.post(f"{PLACE}/comment", form).status_code)
        connection.close()

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for one in clicks:
        one.start()
    for one in clicks:
        one.join()
    assert heard == [303] * 4
    assert Note.objects.of(desk.org.id).count() == 1


def test_a_database_that_is_busy_takes_nothing_that_was_typed(
    bob_reads: Client, stuck: Api, desk: Desk, monkeypatch: Any
) -> None:
    file_ticket(stuck)
    seen = hidden(bob_reads, PLACE)

    def locked(**who: Any) -> Any:
        raise OperationalError("database is locked")

    monkeypatch.setattr(acts_once, "facts_get", locked)
    response = bob_reads.post(f"{PLACE}/comment", {**seen, "body": "Long thought about."})
    assert response.status_code == 503
    page = response.content.decode()
    assert "The desk is busy right now. Nothing was changed. Send it again." in page
    assert "Long thought about." in page
    monkeypatch.setattr(acts_once, "facts_get", facts_get)
    done(bob_reads.post(f"{PLACE}/comment", {**seen, "body": "Long thought about."}))
    assert Note.objects.of(desk.org.id).count() == 1


def test_what_was_typed_waits_until_its_writer_is_back(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    client = Client()
    text = f"Long thought about.\r\nThe token was {SECRET}."
    answer = client.post(f"{PLACE}/comment", {"body": text, "key": "k", "seen": "1"})
    assert answer.headers["Location"] == f"/accounts/login/?next={PLACE}/comment"
    login = client.get(answer.headers["Location"]).content.decode()
    assert "What you wrote is kept: sign in to send it." in login
    assert "Long thought" not in login
    assert SECRET not in str(dict(client.session))
    client.force_login(desk.people["bob"].user, SIGNED_IN_BY)
    page = page_of(client, f"{PLACE}/comment")
    assert "Long thought about." in page
    assert "[REDACTED]" in page
    assert "Long thought about." not in page_of(client, f"{PLACE}/update", 409)
    done(send(client, "SB-1", "comment", body="Long thought about."))
    assert "Long thought about." not in page_of(client, f"{PLACE}/comment")


def test_a_draft_is_bounded(stuck: Api, settings: Any) -> None:
    file_ticket(stuck)
    client = Client()
    client.post(f"{PLACE}/comment", {"body": "x" * 100_000, **{f"f{n}": "y" for n in range(50)}})
    assert sum(map(len, client.session["draft"]["texts"].values())) <= 22_000
    assert len(client.session["draft"]["texts"]) <= 60
    ratelimit._buckets.clear()
    settings.RATE_LIMIT, settings.RATE_LIMIT_BURST, settings.WEB_WORKERS = 20, 20, 1
    with time_machine.travel(clock.now(), tick=False):  # they are counted by the minute
        kept = [bool(_draft_of({"body": "x"})) for _ in range(4)]
    assert kept == [True, True, False, False]


def test_a_draft_keeps_neither_its_address_nor_names_of_no_field(stuck: Api) -> None:
    file_ticket(stuck)
    client = Client()
    client.post(f"{PLACE}/evidence?criterion={SECRET}", {"note": "x", SECRET: "y"})
    assert client.session["draft"]["texts"] == {"note": "x"}
    assert SECRET not in str(dict(client.session))


def _draft_of(sent: dict[str, str]) -> Any:
    client = Client()
    client.post(f"{PLACE}/comment", sent)
    return client.session.get("draft")


def test_a_form_of_an_older_sign_in_loses_no_text(desk: Desk, stuck: Api) -> None:
    """Signed out and in again in another tab: the form's token is no longer good."""
    file_ticket(stuck)
    client = Client(enforce_csrf_checks=True)
    client.force_login(desk.people["bob"].user, SIGNED_IN_BY)
    response = client.post(f"{PLACE}/comment", {"body": "Long <b>thought</b> about."})
    assert response.status_code == 403
    page = response.content.decode()
    assert "Long &lt;b&gt;thought&lt;/b&gt; about." in page
    assert f'href="{PLACE}/comment"' in page
    assert not Note.objects.of(desk.org.id).exists()
