"""Each act by each person, and in a state where it cannot be done."""

import re
from typing import Any, Final

import pytest
from django.test import Client

from accounts.models import Agent
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.models import Event
from stuckbot.site.pages.acts_table import ACTS
from tests.api.refusals import nothing_changes
from tests.matrix.scene import Scene
from tests.pages.acting import done, hidden, page_of, send, signed_in
from tests.support import Desk
from tickets.models import Claim, Ticket

SAID: Final = {"problem": "It stopped.", "impact": "Nothing runs.", "next_step": "Start it."}
#: The state each act is done in, who the person is to the ticket, what is typed, what it tells.
GOOD: Final[dict[str, tuple[str, str, dict[str, Any], str]]] = {
    "comment": ("open", "", {"body": "Seen"}, "comment_added"),
    "explain": ("closed", "", SAID, "explanation_edited"),
    "complete": ("incomplete", "", {"objective": "Ship it"}, "package_completed"),
    "settings": ("open", "", {"urgency": "9", "labels": "ci node"}, "ticket_edited"),
    "claim": ("open", "", {}, "ticket_claimed"),
    "continue": ("blocker_resolved", "", {}, "task_continued"),
    "keep": ("claimed", "holder", {}, ""),
    "keep-for": ("open", "", {"agent": "solver"}, "ticket_edited"),
    "let-anyone": ("kept", "", {}, "ticket_edited"),
    "release": ("claimed", "holder", {"note": ""}, "ticket_released"),
    "update": ("claimed", "holder", {"body": "On it"}, "update_posted"),
    "evidence": (
        "claimed",
        "holder",
        {"criterion": "b1", "command": "npm ci", "exit_code": "0"},
        "evidence_added",
    ),
    "submit": ("proven", "holder", {"outcome": "Mended"}, "stage_approved"),
    "escalate": ("claimed", "holder", {"reason": "Help"}, "needs_human"),
    "pause": ("open", "", {"reason": ""}, "ticket_paused"),
    "resume": ("open", "", {}, "ticket_resumed"),
    "block": ("open", "", {"reason": "Wait"}, "ticket_blocked"),
    "unblock": ("open", "", {}, "ticket_unblocked"),
    "close": ("open", "", {"outcome": "Enough"}, "ticket_closed"),
    "reopen": ("closed", "", {}, "ticket_reopened"),
    "send-back": ("needs_human", "", {"note": "Again", "to": "solver"}, "ticket_sent_back"),
    "take-over": ("needs_human", "", {}, "ticket_claimed"),
    "withdraw": ("open", "creator", {"reason": ""}, "ticket_withdrawn"),
    "approve": ("blocker_review.person", "", {"reason": ""}, "stage_approved"),
    "reject": ("blocker_review.person", "", {"reason": "It still fails"}, "stage_rejected"),
    "met": ("manual", "", {"criterion": "b2", "note": "It looks right"}, "criterion_met"),
}
#: A state in which each act is refused; what is not here can always be done.
WRONG: Final = {
    "claim": "closed",
    "continue": "open",
    "keep": "open",
    "keep-for": "closed",
    "let-anyone": "closed",
    "release": "open",
    "update": "open",
    "evidence": "open",
    "submit": "open",
    "escalate": "open",
    "pause": "closed",
    "resume": "closed",
    "block": "closed",
    "unblock": "closed",
    "close": "closed",
    "reopen": "open",
    "send-back": "open",
    "take-over": "open",
    "withdraw": "claimed",
    "settings": "closed",
    "complete": "open",
    "approve": "claimed",
    "reject": "needs_human",
}


def scene_of(desk: Desk, state: str, as_: str, person: str) -> Scene:
    """SB-1 in the state, with the person as its holder or creator where that is asked."""
    manual = state == "manual"
    scene = Scene(
        desk, desk.agent("stuck"), desk.agent("solver"), "manual" if manual else "takeover"
    )
    reached = {"proven": "claimed", "manual": "blocker_review.person"}
    reached |= {"incomplete": "open", "kept": "open"}
    scene.reach(reached.get(state, state))
    if state == "incomplete":
        lacks: Any = {"missing": "objective", "own_red": "incomplete", "offer_at": None}
        scene.row_set(incomplete=True, **lacks)
    if state == "proven":
        scene.prove("blocker")
    if state == "kept":
        scene.row_set(reserved_for_id=agent_id(desk, "solver"))
    actor = desk.people[person].actor
    rows = Ticket.objects.of(desk.org.id).filter(id=scene.row.id)
    if as_ == "creator":
        rows.update(creator=actor)
    if as_ == "holder":
        rows.update(solver=actor)
        Claim.objects.of(desk.org.id).filter(ticket=scene.row).update(actor=actor)
    return scene


def agent_id(desk: Desk, name: str) -> str:
    return str(Agent.objects.of(desk.org.id).values_list("id", flat=True).get(name=name))


def said(desk: Desk, typed: dict[str, Any]) -> dict[str, Any]:
    """What is typed, with the id of an agent that is named."""
    return {**typed, "agent": agent_id(desk, typed["agent"])} if "agent" in typed else typed


def _named(page: str, slug: str) -> bool:
    """Whether a page leads to the act."""
    return re.search(rf"/tickets/SB-1/{slug}(?![\w-])", page) is not None


def newest(desk: Desk) -> str:
    return Event.objects.of(desk.org.id).order_by("-seq").values_list("type", flat=True)[0]


def test_it_tries_every_act() -> None:
    assert set(GOOD) == set(ACTS)


@pytest.mark.parametrize("person", ["alice", "bob"])
@pytest.mark.parametrize("slug", GOOD)
def test_it_is_done_by_an_owner_and_a_member(slug: str, person: str, desk: Desk) -> None:
    state, as_, typed, event = GOOD[slug]
    scene = scene_of(desk, state, as_, person)
    client = signed_in(desk, person)
    before = scene.row.lease_until or clock.now()
    done(send(client, "SB-1", slug, **said(desk, typed)))
    assert event == "" or newest(desk) == event
    assert slug != "keep" or (scene.row.lease_until or before) > before
    page_of(client, "/tickets/SB-1")


@pytest.mark.parametrize("slug", GOOD)
def test_a_viewer_sees_no_button_and_is_refused(slug: str, desk: Desk) -> None:
    state, as_, typed, _ = GOOD[slug]
    scene_of(desk, state, as_, "carol")
    client = signed_in(desk, "carol")
    page = page_of(client, "/tickets/SB-1")
    assert 'action="/tickets/' not in page
    assert not _named(page, slug)
    page_of(client, f"/tickets/SB-1/{slug}", 403)
    with nothing_changes():
        assert send(client, "SB-1", slug, **typed).status_code == 403


@pytest.mark.parametrize("slug", GOOD)
def test_another_org_hears_that_there_is_nothing(slug: str, desk: Desk, other: Desk) -> None:
    state, as_, typed, _ = GOOD[slug]
    scene_of(desk, state, as_, "alice")
    client = signed_in(other, "mallory")
    with nothing_changes():
        page_of(client, f"/tickets/SB-1/{slug}", 404)
        assert client.post(f"/tickets/SB-1/{slug}", typed).status_code == 404


@pytest.mark.parametrize("slug", GOOD)
def test_a_stranger_is_sent_to_sign_in(slug: str, desk: Desk) -> None:
    state, as_, typed, _ = GOOD[slug]
    scene_of(desk, state, as_, "alice")
    with nothing_changes():
        for response in (
            Client().get(f"/tickets/SB-1/{slug}"),
            Client().post(f"/tickets/SB-1/{slug}", typed),
        ):
            assert response.status_code == 302
            assert response.headers["Location"] == f"/accounts/login/?next=/tickets/SB-1/{slug}"


@pytest.mark.parametrize("slug", WRONG)
def test_it_is_refused_where_it_cannot_be_done(slug: str, desk: Desk) -> None:
    _, _, typed, _ = GOOD[slug]
    scene_of(desk, WRONG[slug], "creator" if slug == "withdraw" else "", "bob")
    client = signed_in(desk, "bob")
    assert not _named(page_of(client, "/tickets/SB-1"), slug)
    assert "That cannot be done" in page_of(client, f"/tickets/SB-1/{slug}", 409)
    with nothing_changes():
        response = send(client, "SB-1", slug, **{**typed, **_texts(typed)})
    assert response.status_code == 409
    page = response.content.decode()
    assert 'role="alert"' in page
    assert not _texts(typed) or "Long thought about." in page


def _texts(typed: dict[str, Any]) -> dict[str, str]:
    names = {"body", "note", "reason", "outcome"} & set(typed)
    return dict.fromkeys(names, "Long thought about.")


def test_there_is_no_other_act(desk: Desk) -> None:
    scene_of(desk, "open", "", "bob")
    client = signed_in(desk, "bob")
    page_of(client, "/tickets/SB-1/acclaim", 404)
    assert client.post("/tickets/SB-1/acclaim", {}).status_code == 404
    assert client.put("/tickets/SB-1/comment").status_code == 405
    page_of(client, "/tickets/SB-9/comment", 404)
    page_of(client, "/tickets/SB-1/evidence?criterion=zz", 404)


def test_a_look_changes_nothing(desk: Desk) -> None:
    scene_of(desk, "needs_human", "", "bob")
    client = signed_in(desk, "bob")
    with nothing_changes():
        for slug in GOOD:
            none = 404 if slug == "met" else 409
            assert client.get(f"/tickets/SB-1/{slug}").status_code in (200, none)


def test_it_acts_in_the_org_that_the_page_was_of(desk: Desk, other: Desk) -> None:
    """The same reference in two orgs of one person: a switch in another tab must not mislead."""
    member_add(org=other.org, user=desk.people["bob"].user, role=Role.MEMBER, now=clock.now())
    scene_of(desk, "open", "", "bob")
    scene_of(other, "open", "", "mallory")
    client = signed_in(desk, "bob")
    page = page_of(client, f"/tickets/SB-1?org={desk.org.id}")
    action = page.split('action="/tickets/SB-1/claim')[1].split('"')[0]
    page_of(client, f"/?org={other.org.id}")
    sent = hidden(client, f"/tickets/SB-1?org={desk.org.id}")
    page_of(client, f"/?org={other.org.id}")
    response = client.post(f"/tickets/SB-1/claim{action}", sent)
    assert response.status_code == 303
    assert newest(desk) == "ticket_claimed"
    assert newest(other) == "ticket_created"
