"""A person fills in what an incomplete ticket lacks, without a script."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from stuckbot.lib.models import Event
from tests.api.refusals import nothing_changes
from tests.pages.acting import done, page_of, send, signed_in
from tests.support import Api, Desk, make_package
from tests.tickets.lenient import file_incomplete
from tests.tickets.package_cases import LONG_FIELDS
from tests.tickets.test_findings import SECRET
from tickets.models import Ticket

PLACE = "/tickets/SB-1"
CHECK = {
    "blocker1_description": "A clean install works",
    "blocker1_method": "command",
    "blocker1_value": "npm ci",
    "blocker1_expected": "ends with 0",
}
TEXTS = {
    "title": "The image cannot be built",
    "objective": "Ship the service",
    "stuck_reason": "npm ci fails\nfind Python",
}


@pytest.fixture
def person(desk: Desk) -> Client:
    return signed_in(desk, "bob")


def ticket(api: Api) -> Any:
    return api.get("/api/v1/tickets/SB-1").ok()["ticket"]


def faults(response: Any) -> dict[str, str]:
    """By field, what its error list says."""
    page = response.content.decode()
    found = re.findall(r'<ul class="errorlist" id="id_(\w+)_error">(.*?)</ul>', page, re.DOTALL)
    return {name: html.unescape(re.sub("<.*?>", "", told)).strip() for name, told in found}


def test_it_asks_for_each_thing_that_is_missing(stuck: Api, person: Client) -> None:
    file_incomplete(stuck, {})
    page = page_of(person, PLACE)
    assert "It lacks: a title, the goal, what fails" in page
    assert 'href="/tickets/SB-1/complete"' in page
    form = page_of(person, f"{PLACE}/complete")
    names = ["title", *({*LONG_FIELDS} - {"attempts"}), "mode"]
    names += ["attempt1_what", "attempt3_result", "blocker5_expected", "task3_value"]
    for name in names:
        assert f'name="{name}"' in form, name
    assert "What is to be reached in the end" in form


def test_it_asks_for_nothing_that_is_there(stuck: Api, person: Client) -> None:
    file_incomplete(stuck, make_package(objective=None))
    form = page_of(person, f"{PLACE}/complete")
    assert 'name="objective"' in form
    for name in ("title", "stuck_reason", "completed", "attempt1_what", "blocker1_method", "mode"):
        assert f'name="{name}"' not in form, name
    assert "npm ci fails: find Python" in form, "what is there is shown"


def test_it_completes_a_ticket_of_which_nothing_is_known(
    stuck: Api, solver: Api, bob: Api, person: Client
) -> None:
    file_incomplete(stuck, {})
    typed = {
        **TEXTS,
        **CHECK,
        "completed": "The unit tests pass\r\n\r\n  It is reviewed ",
        "attempt2_what": "npm ci --ignore-scripts",
        "attempt2_result": "fails at run time",
        "mode": "takeover_allowed",
        "task2_description": "The site answers",
        "task2_method": "external_check",
        "task2_value": "https://example.com/health",
        "task2_expected": "200",
    }
    done(send(person, "SB-1", "complete", **typed))
    found = ticket(bob)
    assert (found["incomplete"], found["mode"]) == (False, "takeover_allowed")
    package = found["content"]["package"]
    assert package["completed"] == ["The unit tests pass", "It is reviewed"]
    assert package["remaining"] == package["next_steps"] == []
    assert package["attempts"] == [
        {"what": "npm ci --ignore-scripts", "result": "fails at run time"}
    ]
    assert package["stuck_reason"] == TEXTS["stuck_reason"]
    assert [one["key"] for one in found["criteria"]] == ["b1", "t1"]
    assert package["task_criteria"][0]["url"] == "https://example.com/health"
    assert [one["ref"] for one in solver.get("/api/v1/work").ok()["claimable"]] == ["SB-1"]
    page = page_of(person, PLACE)
    assert "filled in all that was missing" in page
    assert "/complete" not in page


def test_a_part_may_be_filled_in(stuck: Api, bob: Api, person: Client) -> None:
    file_incomplete(stuck, {})
    done(send(person, "SB-1", "complete", objective="Ship it"))
    assert "Something is still missing" in page_of(person, PLACE)
    missing = ["title", "stuck_reason", *LONG_FIELDS[2:], "blocker_criteria"]
    assert ticket(bob)["missing_fields"] == missing, "an empty list is no answer yet"
    done(send(person, "SB-1", "complete", **(TEXTS | CHECK), mode="blocker_only"))
    assert "Saved. Nothing is missing any more." in page_of(person, PLACE)
    assert ticket(bob)["incomplete"] is False


def test_lists_alone_may_be_left_empty(stuck: Api, bob: Api, person: Client) -> None:
    file_incomplete(stuck, make_package(attempts=None, remaining=None))
    done(send(person, "SB-1", "complete"))
    assert ticket(bob)["incomplete"] is False


def test_nothing_filled_in_is_told(stuck: Api, person: Client) -> None:
    file_incomplete(stuck, {})
    with nothing_changes():
        response = send(person, "SB-1", "complete", mode="blocker_only")
    assert response.status_code == 422
    assert "Fill in at least one of these." in response.content.decode()


def test_every_fault_stands_at_its_field_and_what_was_typed_stays(
    stuck: Api, person: Client
) -> None:
    file_incomplete(stuck, {})
    typed = {
        "title": "x",
        "objective": "\u200b",
        "completed": "\n".join(["x"] * 201),
        "attempt1_what": "Only this",
        "blocker1_description": "It builds",
        "blocker2_method": "command",
        "blocker2_value": "npm 'ci",
        "blocker2_expected": "works",
        "blocker3_description": "It answers",
        "blocker3_method": "external_check",
        "blocker3_value": "example.com",
        "blocker3_expected": "200",
        "task1_description": "Somebody looks",
        "task1_method": "manual",
        "task1_value": "not needed",
        "task1_expected": "Fine",
    }
    with nothing_changes():
        response = send(person, "SB-1", "complete", **typed)
    assert response.status_code == 422
    assert set(faults(response)) == {
        *("title", "objective", "completed", "attempt1_result"),
        *("blocker1_method", "blocker1_expected"),
        *("blocker2_description", "blocker2_value", "blocker3_value", "task1_value"),
    }
    page = html.unescape(response.content.decode())
    assert "Not saved yet" in page
    for text in ("Only this", "npm 'ci", "example.com", "not needed", "It builds"):
        assert text in page


def test_what_the_desk_refuses_stands_at_its_field_too(stuck: Api, person: Client) -> None:
    file_incomplete(stuck, {})
    typed = TEXTS | {
        "completed": "The unit tests pass\n\u200b",
        "blocker2_description": "It answers",
        "blocker2_method": "log_match",
        "blocker2_value": "x" * 4_000,
        "blocker2_expected": "y" * 20_000,
    }
    with nothing_changes():
        response = send(person, "SB-1", "complete", **typed)
    assert response.status_code == 422
    assert set(faults(response)) == {"completed"}


def test_what_is_typed_is_masked(stuck: Api, bob: Api, person: Client) -> None:
    file_incomplete(stuck, {})
    done(send(person, "SB-1", "complete", objective=f"Ship with {SECRET}"))
    assert SECRET not in str(ticket(bob))
    assert SECRET not in page_of(person, PLACE)


def test_what_was_edited_meanwhile_stays_edited(stuck: Api, bob: Api, person: Client) -> None:
    file_incomplete(stuck, make_package(objective=None, urgency=3, labels=["ci"]))
    said = {"problem": "Said anew.", "impact": "Nothing.", "next_step": "Wait."}
    edit = {"version": 1, "urgency": 9, "labels": ["node"], "human_summary": said}
    bob.call("PATCH", "/api/v1/tickets/SB-1", edit).ok()
    done(send(person, "SB-1", "complete", objective="Ship it"))
    found = ticket(bob)
    assert (found["urgency"], found["labels"]) == (9, ["node"])
    assert found["content"]["human_summary"] == said


def test_over_what_was_not_seen_nothing_is_filled_in(stuck: Api, bob: Api, person: Client) -> None:
    file_incomplete(stuck, make_package(objective=None, stuck_reason=None))
    carried = dict.fromkeys(("key", "seen"), "")
    page = page_of(person, f"{PLACE}/complete")
    for name in carried:
        match = re.search(f'name="{name}" value="([^"]*)"', page)
        assert match
        carried[name] = match[1]
    path = "/api/v1/tickets/SB-1/package"
    bob.post(path, {"package": make_package(stuck_reason=None)}).ok()
    with nothing_changes():
        response = person.post(f"{PLACE}/complete", {**carried, "objective": "My own words"})
    assert response.status_code == 409
    assert "My own words" in response.content.decode()
    bob.post(path, {"package": make_package()}).ok()
    with nothing_changes():
        response = person.post(f"{PLACE}/complete", {**carried, "objective": "My own words"})
    assert response.status_code == 409
    assert "My own words" in response.content.decode(), "given back as a comment"


def test_the_same_form_sent_twice_is_done_once(stuck: Api, desk: Desk, person: Client) -> None:
    file_incomplete(stuck, {})
    sent = {"key": "once", "objective": "Ship it"}
    for _ in range(2):
        done(person.post(f"{PLACE}/complete", sent))
    assert Ticket.objects.of(desk.org.id).get().package_n == 2
    told = Event.objects.of(desk.org.id).filter(type="package_updated")
    assert told.count() == 1


def test_a_draft_outlives_the_session(stuck: Api, desk: Desk) -> None:
    file_incomplete(stuck, {})
    stranger = Client()
    typed = {**TEXTS, **CHECK, "task3_expected": "Late in the form"}
    assert stranger.post(f"{PLACE}/complete", typed).status_code == 302
    stranger.login(username="bob@acme.example", password="correct horse")
    page = page_of(stranger, f"{PLACE}/complete")
    for text in ("Ship the service", "npm ci", "Late in the form"):
        assert text in page


def test_whoever_holds_it_is_led_to_it(stuck: Api, bob: Api, person: Client) -> None:
    file_incomplete(stuck, {"title": "Ran out of time"})
    bob.post("/api/v1/tickets/SB-1/claim", {}).ok()
    page = page_of(person, PLACE)
    assert "You are working on it. Fill in what is missing" in page
    assert 'href="/tickets/SB-1/complete"' in page
    assert 'href="/tickets/SB-1/submit"' not in page


def test_it_stands_in_the_list_of_what_needs_a_person(stuck: Api, person: Client) -> None:
    file_incomplete(stuck, {"title": "Ran out of time"})
    for place in ("/?color=RED", "/?state=incomplete", "/tickets?color=RED"):
        response = person.get(place)
        if response.status_code == 200:
            assert "Ran out of time" in response.content.decode()
            return
    raise AssertionError("no list")
