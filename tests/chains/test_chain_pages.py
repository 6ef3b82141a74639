"""The chain on a ticket's page, what the last ones left, keeping it for one agent; pauses."""

import re
from typing import Any

import pytest

from accounts.models import Org, Project
from stuckbot.lib.models import Audit
from tests.chains.house import agent_id, claim, detail, hand_on, offered, row
from tests.leaks.browsing import Fields
from tests.pages.acting import done, page_of, send, signed_in
from tests.support import Api, Desk, file_ticket, make_package


def words(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def part(text: str, place: str) -> str:
    """The words under a heading of that id."""
    found = text.partition(f'<h2 id="{place}">')[2]
    return words(found.partition("</section>")[0])


@pytest.fixture
def chained(stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    claim(solver, "SB-1")
    hand_on(solver, "SB-1", reason="My context <b>is</b> full").ok(201)
    claim(racer, "SB-2")
    hand_on(racer, "SB-2", package=make_package(title="The last part")).ok(201)


@pytest.mark.usefixtures("chained")
def test_it_says_how_it_got_here(desk: Desk) -> None:
    client = signed_in(desk, "carol")
    for number in (1, 2, 3):
        text = page_of(client, f"/tickets/SB-{number}")
        told = part(text, "chain")
        assert "solver handed it on" in told
        assert "racer handed it on" in told
        assert told.index("SB-1") < told.index("SB-2") < told.index("SB-3")
        assert (told.count("Handed on"), told.count("Waiting"), "Done" in told) == (2, 1, False)
        assert "My context &lt;b&gt;is&lt;/b&gt; full" in told
        links = re.findall(r'<a href="(/tickets/SB-\d)">SB-\d</a>', text)
        assert {f"/tickets/SB-{n}" for n in (1, 2, 3)} - {f"/tickets/SB-{number}"} <= set(links)
        tip = re.findall(r'href="(/tickets/SB-3)">Go to SB-3, where it goes on', text)
        assert len(tip) == (0 if number == 3 else 1)
    timeline = part(page_of(client, "/tickets/SB-1"), "timeline")
    assert "solver handed it on to SB-2." in timeline
    assert "solver filed it to carry on from SB-1." in part(
        page_of(client, "/tickets/SB-2"), "timeline"
    )


def test_a_ticket_alone_has_no_chain(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    text = page_of(signed_in(desk, "alice"), "/tickets/SB-1")
    assert ('id="chain"' in text, 'id="left"' in text) == (False, False)


def test_it_shows_what_the_last_one_left(desk: Desk, stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    claim(solver, "SB-1")
    solver.post("/api/v1/tickets/SB-1/release", {"note": "The cache is <i>not</i> it"}).ok()
    claim(racer, "SB-1")
    racer.post("/api/v1/tickets/SB-1/escalate", {"reason": "I need a licence"}).ok()
    alice = signed_in(desk, "alice")
    done(send(alice, "SB-1", "send-back", note="Use the free one", to="all"))
    told = part(page_of(alice, "/tickets/SB-1"), "left")
    texts = ("The cache &lt;i&gt;not", "solver gave it back", "racer asked for a person")
    assert [one in told.replace("is &lt;i", "&lt;i") for one in texts] == [True] * 3
    assert told.index("I need a licence") < told.index("Use the free one")
    text = page_of(alice, "/tickets/SB-1")
    assert text.index('id="left"') < text.index('id="timeline"')


def test_it_shows_what_was_left_however_much_happened_since(
    desk: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    claim(solver, "SB-1")
    solver.post("/api/v1/tickets/SB-1/release", {"note": "Look at the proxy"}).ok()
    for number in range(55):
        stuck.post("/api/v1/tickets/SB-1/comments", {"body": f"Word {number}"}).ok(201)
    text = page_of(signed_in(desk, "alice"), "/tickets/SB-1")
    assert "Look at the proxy" in part(text, "left")
    assert "Look at the proxy" not in part(text, "timeline")


def test_it_is_kept_and_let_go_by_buttons(desk: Desk, stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    desk.agent("blind", scopes=["tickets:read_project"])
    alice = signed_in(desk, "alice")
    form = page_of(alice, "/tickets/SB-1/keep-for")
    choices = re.findall(r'<option value="[0-9a-f-]{36}">(\w+)</option>', form)
    assert sorted(choices) == ["racer", "solver", "stuck"]
    done(send(alice, "SB-1", "keep-for", agent=agent_id(racer)))
    text = page_of(alice, "/tickets/SB-1")
    assert "Kept for racer." in words(text)
    assert "kept for racer" in words(text)
    assert "Let anyone take it" in words(text)
    assert "Kept for racer." in words(page_of(alice, "/"))
    assert (offered(racer), offered(solver)) == (["SB-1"], [])
    done(send(alice, "SB-1", "let-anyone"))
    text = page_of(alice, "/tickets/SB-1")
    assert "Kept for" not in words(text)
    assert "alice let anyone take it." in words(text)
    assert offered(solver) == ["SB-1"]
    carol = signed_in(desk, "carol")
    assert "Keep it for one agent" not in words(page_of(carol, "/tickets/SB-1"))
    assert page_of(carol, "/tickets/SB-1/keep-for", 403)


def test_an_agent_that_went_meanwhile_is_said_at_the_field(
    desk: Desk, stuck: Api, racer: Api
) -> None:
    file_ticket(stuck)
    alice, agent = signed_in(desk, "alice"), agent_id(racer)
    racer.post("/api/v1/agents/me/retire").ok()
    response = send(alice, "SB-1", "keep-for", agent=agent)
    assert response.status_code == 422
    assert row(desk, 1).reserved_for_id is None


def pause(client: Any, path: str, **typed: str) -> Any:
    keys = Fields(client.get("/policy").content.decode()).values
    return client.post(path, {"key": keys["key"], **typed})


@pytest.mark.parametrize("whole", [True, False])
def test_a_member_pauses_and_lets_it_go_on(
    whole: bool, desk: Desk, stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    bob, project = signed_in(desk, "bob"), Project.objects.of(desk.org.id).get().id
    path = "/policy/pause" if whole else f"/policy/projects/{project}/pause"
    assert pause(bob, path, act="pause", reason="The <b>freeze</b> lasts").status_code == 303
    shown = "/policy" if whole else f"/policy/projects/{project}"
    told = words(page_of(bob, shown))
    assert "Paused by bob" in told
    assert "The &lt;b&gt;freeze&lt;/b&gt; lasts" in told
    what = "Everything is paused by bob." if whole else "Its project is paused by bob."
    text = words(page_of(bob, "/tickets/SB-1"))
    assert what in text
    assert "The &lt;b&gt;freeze&lt;/b&gt; lasts" in text
    assert detail(stuck, "SB-1")["content"]["status_detail"] == what
    assert solver.post("/api/v1/tickets/SB-1/claim", {}).code == "ticket_paused"
    assert offered(solver) == []
    assert pause(bob, path, act="resume").status_code == 303
    assert offered(solver) == ["SB-1"]
    rows: Any = Org.objects.get(id=desk.org.id) if whole else Project.unscoped.get(id=project)
    assert (rows.paused_by_id, rows.pause_reason_id, rows.paused_at) == (None, None, None)
    actions = Audit.objects.of(desk.org.id).order_by("no").values_list("action", flat=True)
    kind = "org" if whole else "project"
    assert list(actions)[-2:] == [f"{kind}_paused", f"{kind}_resumed"]


def test_a_viewer_reads_of_a_pause_and_a_stranger_hears_nothing(desk: Desk, other: Desk) -> None:
    project = desk.org.default_project_id
    carol, mallory = signed_in(desk, "carol"), signed_in(other, "mallory")
    assert "A member can pause it." in words(page_of(carol, "/policy"))
    for path in ("/policy/pause", f"/policy/projects/{project}/pause"):
        assert carol.post(path, {"act": "pause"}).status_code == 403
    assert mallory.post(f"/policy/projects/{project}/pause", {"act": "pause"}).status_code == 404
    long = carol.post("/policy/pause", {"act": "pause", "reason": "x" * 5_001})
    assert long.status_code == 422
    assert Org.objects.get(id=desk.org.id).paused_at is None
