"""The pages of agents: which there are, what each is on, and who may do what about them."""

import html
import re
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.test import Client

from accounts.models import Agent, AgentRequest, Token
from accounts.services.orgs import project_make
from accounts.services.requests import MESSAGE_MOST
from accounts.states import Role
from policy.models import Policy
from stuckbot.lib import clock
from stuckbot.lib.models import Audit
from tests.pages.test_people import key, page, signed_in
from tests.support import Api, Desk, file_ticket, make_desk, resolve


def agent_id(api: Api) -> str:
    return str(api.get("/api/v1/agents/me").ok()["agent"]["id"])


def words(text: str) -> str:
    """What a reader sees of it, on one line."""
    plain = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())
    return re.sub(r" ([,.:])", r"\1", plain)


def audits(desk: Desk) -> list[str]:
    return list(Audit.objects.of(desk.org.id).order_by("no").values_list("action", flat=True))


def buttons(text: str) -> set[str]:
    main = text[text.index("<main") :]
    return {words(one) for one in re.findall(r"<button[^>]*>(.*?)</button>", main, re.DOTALL)}


@pytest.fixture
def alices(desk: Desk) -> Client:
    return signed_in(desk, "alice")


@pytest.fixture
def bobs(desk: Desk) -> Client:
    return signed_in(desk, "bob")


@pytest.fixture
def busy(stuck: Api, solver: Api) -> str:
    """An agent at work, which said how it goes."""
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    beat = {"status": "Reading the log", "usage": {"tokens": 1_234_567, "cost_usd": 2.5}}
    solver.post("/api/v1/agents/me/heartbeat", beat).ok()
    return agent_id(solver)


def test_it_says_what_each_agent_is_on(desk: Desk, busy: str, alices: Client) -> None:
    text = words(page(alices, "/agents"))
    assert "On it: SB-1 The image service cannot be built, 59 min left" in text
    assert "Reading the log" in text
    assert "Tokens: 1,234,567" in text
    assert "Cost: $2.50" in text
    assert "last seen just now" in text


def test_use_stands_against_its_budget(desk: Desk, busy: str, alices: Client) -> None:
    Policy(
        org=desk.org,
        connector=desk.connector,
        budget_tokens_soft=1_000_000,
        budget_tokens_hard=2_000_000,
        budget_cost_hard=200,
    ).save(force_insert=True)
    text = page(alices, f"/agents/{busy}")
    assert "Tokens 1,234,567 of 2,000,000 (61 %)" in words(text)
    assert "Past 1,000,000, where it is asked to hand off." in words(text)
    assert "Cost $2.50 of $2.00 (125 %) The budget is used up." in words(text)
    assert '<progress max="100" value="61.7" aria-label="Tokens">' in text


def test_the_strictest_budget_of_the_projects_it_works_in_is_shown(
    desk: Desk, busy: str, alices: Client
) -> None:
    elsewhere = project_make(org=desk.org, name="Elsewhere", now=clock.now())
    for project, most in ((elsewhere, 5), (desk.org.default_project, 4_000_000)):
        Policy(org=desk.org, project=project, budget_tokens_hard=most).save(force_insert=True)
    assert "Tokens 1,234,567 of 4,000,000 (30 %)" in words(page(alices, f"/agents/{busy}"))


def test_what_it_says_it_can_is_read_as_a_sentence(desk: Desk, alices: Client) -> None:
    able = desk.agent("able", capabilities={"watchdog": True, "browser": "chromium", "gpu": False})
    text = words(page(alices, f"/agents/{agent_id(able)}"))
    assert "Watched over yes: when it falls silent, its tickets are freed" in text
    assert "Says it can browser: chromium gpu: no" in text
    plain = words(page(alices, f"/agents/{agent_id(desk.agent('plain'))}"))
    assert ("Watched over" in plain, "Says it can" in plain) == (False, False)


def test_lists_are_narrowed_and_counted(desk: Desk, busy: str, racer: Api, alices: Client) -> None:
    racer.post("/api/v1/agents/me/retire").ok()
    counted = words(page(alices, "/agents"))
    assert "Live 2 At work 1 Asked 0 Retired 1 All 3" in counted
    shown = {
        which: set(re.findall(r"<h3><a [^>]*><bdi>(\w+)", page(alices, f"/agents?show={which}")))
        for which in ("live", "working", "asked", "retired", "all")
    }
    assert shown == {
        "live": {"stuck", "solver"},
        "working": {"solver"},
        "asked": set(),
        "retired": {"racer"},
        "all": {"stuck", "solver", "racer"},
    }
    assert "solver" not in words(page(alices, "/agents?name=STU"))
    assert "stuck" in words(page(alices, f"/agents?name=stu&connector={desk.connector.id}"))
    assert "Nobody matches" in words(page(alices, "/agents?connector=none"))
    assert "Live 2" in words(page(alices, "/agents?show=nonsense&connector=%00"))


def test_pages_miss_nobody_and_repeat_nobody(desk: Desk, alices: Client) -> None:
    for place in range(60):
        desk.agent(f"agent-{place * 7 % 60:02}")
    seen: list[str] = []
    path = "/agents"
    while path:
        text = page(alices, path)
        seen += re.findall(r'<article [^>]*id="a-([^"]+)"', text)
        found = re.search(r'href="([^"]+)" rel="next"', text)
        path = html.unescape(found[1]) if found else ""
    assert len(seen) == len(set(seen)) == 60
    back = page(alices, f"/agents?before={seen[50]}")
    assert re.findall(r'<article [^>]*id="a-([^"]+)"', back) == seen[25:50]


@pytest.mark.parametrize("place", ["nonsense", "00000000-0000-7000-8000-000000000000"])
def test_there_is_no_page_after_nobody(desk: Desk, alices: Client, place: str) -> None:
    response = alices.get(f"/agents?after={place}")
    assert response.status_code == 422
    assert "The list has no such page" in response.content.decode()


def test_all_that_an_agent_did_is_there_page_for_page(
    desk: Desk, busy: str, solver: Api, alices: Client, settings: Any
) -> None:
    settings.RATE_LIMIT = None
    for turn in range(70):
        solver.post("/api/v1/tickets/SB-1/comments", {"body": f"Turn {turn}"}).ok(201)
    first = page(alices, f"/agents/{busy}")
    assert first.count("solver</bdi> commented.") == 50
    found = re.search(r'href="([^"]+)#did">Show earlier', first)
    assert found is not None
    second = page(alices, html.unescape(found[1]))
    assert second.count("solver</bdi> commented.") == 20
    assert "took it." in words(second)
    assert "Back to the newest" in second


def test_what_it_did_since_a_token_was_made(
    desk: Desk, busy: str, solver: Api, alices: Client
) -> None:
    renewed = Api(solver.post("/api/v1/agents/me/token").ok()["token"])
    renewed.post("/api/v1/tickets/SB-1/comments", {"body": "By the new one"}).ok(201)
    newest = Token.objects.of(desk.org.id).filter(agent_id=busy).order_by("-created_at").first()
    assert newest is not None
    whole = words(page(alices, f"/agents/{busy}"))
    since = words(page(alices, f"/agents/{busy}?token={newest.id}"))
    assert "took it." in whole
    assert "took it." not in since
    assert "solver commented." in since
    assert f"Since sba_{newest.lookup}… was made" in since
    assert alices.get(f"/agents/{busy}?token={desk.org.id}").status_code == 404
    assert alices.get(f"/agents/{busy}?token=nonsense").status_code == 404


def test_it_names_what_it_solved_and_filed(
    desk: Desk, stuck: Api, solver: Api, alices: Client
) -> None:
    file_ticket(stuck)
    resolve(solver, "SB-1")
    assert "Solved 1 SB-1" in words(page(alices, f"/agents/{agent_id(solver)}"))
    assert "Filed 1 SB-1" in words(page(alices, f"/agents/{agent_id(stuck)}"))


def test_a_member_asks_and_withdraws(desk: Desk, busy: str, solver: Api, bobs: Client) -> None:
    text = page(bobs, f"/agents/{busy}")
    sent = {"kind": "handoff", "message": "Tonight we rebuild", "key": key(text)}
    assert bobs.post(f"/agents/{busy}/ask", sent).status_code == 303
    assert bobs.post(f"/agents/{busy}/ask", sent).status_code == 303
    assert AgentRequest.objects.of(desk.org.id).count() == 1
    beat = solver.post("/api/v1/agents/me/heartbeat", {}).ok()
    assert beat["handoff_requested"]["content"]["message"] == "Tonight we rebuild"
    text = page(bobs, f"/agents/{busy}")
    assert "Asked to hand off just now, not answered yet." in words(text)
    assert "Ask it to hand off" not in buttons(text)
    assert "Asked 1" in words(page(bobs, "/agents"))
    sent = {"kind": "handoff", "key": key(text)}
    assert bobs.post(f"/agents/{busy}/withdraw", sent).status_code == 303
    assert solver.post("/api/v1/agents/me/heartbeat", {}).ok()["handoff_requested"] is None
    assert "bob asked it to hand off: withdrawn." in words(page(bobs, f"/agents/{busy}"))
    assert audits(desk)[-2:] == ["handoff_requested", "handoff_withdrawn"]


def test_a_stopped_agent_may_be_let_go_on(desk: Desk, busy: str, solver: Api, bobs: Client) -> None:
    path = f"/agents/{busy}"
    bobs.post(f"{path}/ask", {"kind": "stop", "key": key(page(bobs, path))})
    assert "Told to stop just now, not answered yet." in words(page(bobs, path))
    solver.post("/api/v1/tickets/SB-1/release", {"note": "Stopping"}).ok()
    text = page(bobs, path)
    assert "Let it work again" in buttons(text)
    assert "bob told it to stop: it gave the ticket back." in words(text)
    bobs.post(f"{path}/withdraw", {"kind": "stop", "key": key(text)})
    assert Agent.objects.of(desk.org.id).get(id=busy).stopped_at is None


def test_a_refused_request_keeps_what_was_typed(
    desk: Desk, busy: str, alices: Client, bobs: Client
) -> None:
    path = f"/agents/{busy}"
    bobs.post(f"{path}/ask", {"kind": "handoff", "key": key(page(bobs, path))})
    sent = {"kind": "handoff", "message": "My own <words>", "key": "another"}
    response = alices.post(f"{path}/ask", sent)
    text = response.content.decode()
    assert response.status_code == 409
    assert "My own &lt;words&gt;" in text
    assert "was asked to hand off already" in words(text)
    long = alices.post(f"{path}/ask", {"kind": "stop", "message": "x" * (MESSAGE_MOST + 1)})
    assert long.status_code == 422
    assert AgentRequest.objects.of(desk.org.id).count() == 1


def test_revoking_says_before_what_it_frees_and_after_what_was_done(
    desk: Desk, busy: str, solver: Api, alices: Client
) -> None:
    path = f"/agents/{busy}"
    text = page(alices, path)
    assert "SB-1 goes back to be taken by others." in words(text)
    response = alices.post(f"{path}/revoke", {"key": key(text)}, follow=True)
    said = words(response.content.decode())
    assert "solver is revoked. Below is all that it did. Free again: SB-1." in said
    assert "took it." in said
    assert solver.get("/api/v1/agents/me").status == 401
    assert "agent_retired" in audits(desk)
    assert {"Revoke solver", "Tell it to stop"} & buttons(response.content.decode()) == set()
    again = alices.post(f"{path}/ask", {"kind": "stop", "key": "late"})
    assert again.status_code == 409


def test_a_single_token_is_revoked(desk: Desk, busy: str, solver: Api, alices: Client) -> None:
    token = Token.objects.of(desk.org.id).get(agent_id=busy)
    path = f"/agents/{busy}/tokens/{token.id}/revoke"
    assert alices.post(path, {"key": "once"}).status_code == 303
    assert solver.get("/api/v1/agents/me").code == "token_revoked"
    assert "token_revoked" in audits(desk)
    assert "revoked" in words(page(alices, f"/agents/{busy}"))
    assert Agent.objects.of(desk.org.id).get(id=busy).retired_at is None


ADMIN_ACTS = (
    "/agents/{agent}/revoke",
    "/agents/{agent}/tokens/{token}/revoke",
    "/agents/{agent}/key",
    "/agents/key/new",
    "/agents/connectors/new",
    *(f"/agents/connectors/{{connector}}/{act}" for act in ("save", "stop", "start", "revoke")),
    "/agents/connectors/{connector}/secret",
)
MEMBER_ACTS = ("/agents/{agent}/ask", "/agents/{agent}/withdraw")


def paths(desk: Desk, agent: str, patterns: tuple[str, ...]) -> list[str]:
    token = Token.objects.of(desk.org.id).filter(agent_id=agent).first()
    assert token is not None
    names: dict[str, Any] = {
        "agent": agent,
        "token": token.id,
        "connector": desk.connector.id,
    }
    return [one.format(**names) for one in patterns]


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_keys_and_connectors_are_for_admins(desk: Desk, busy: str, name: str) -> None:
    client = signed_in(desk, name)
    sent = {"name": "New", "scopes": ["verify"], "expiry": "30"}
    for path in paths(desk, busy, ADMIN_ACTS):
        assert client.post(path, sent).status_code == 403, path
    assert client.get("/agents/key").status_code == 403
    text = page(client, f"/agents/{busy}") + page(client, f"/agents/connectors/{desk.connector.id}")
    assert not {one for one in buttons(text) if "evoke" in one or "ecret" in one}
    assert Agent.objects.of(desk.org.id).get(id=busy).retired_at is None


def test_a_viewer_reads_alone(desk: Desk, busy: str) -> None:
    client = signed_in(desk, "carol")
    for path in paths(desk, busy, MEMBER_ACTS):
        assert client.post(path, {"kind": "stop"}).status_code == 403, path
    for path in ("/agents", f"/agents/{busy}", "/agents/connectors"):
        assert buttons(page(client, path)) - {"Show these", "Show"} == set(), path
    assert not AgentRequest.objects.of(desk.org.id).exists()


def test_another_orgs_agents_are_not_there(desk: Desk, other: Desk, busy: str) -> None:
    client = signed_in(other, "mallory")
    assert "solver" not in page(client, "/agents?show=all")
    sent = {"kind": "stop", "name": "New", "scopes": ["verify"], "expiry": "30"}
    mine = ("/agents/key/new", "/agents/connectors/new")
    acts = tuple(one for one in (*ADMIN_ACTS, *MEMBER_ACTS) if one not in mine)
    for path in paths(desk, busy, acts):
        assert client.post(path, sent).status_code == 404, path
    for path in (f"/agents/{busy}", f"/agents/connectors/{desk.connector.id}"):
        assert client.get(path).status_code == 404, path
    assert client.get(f"/agents?after={busy}").status_code == 422
    theirs = other.agent("theirs")
    wrong = {"name": "X", "scopes": ["verify"], "projects": [desk.org.default_project_id]}
    assert client.post("/agents/connectors/new", wrong).status_code == 422
    token = Token.objects.of(desk.org.id).filter(agent_id=busy).first()
    assert token is not None
    path = f"/agents/{agent_id(theirs)}/tokens/{token.id}/revoke"
    assert client.post(path, {}).status_code == 404


def test_it_acts_by_post_alone_and_for_who_is_signed_in(desk: Desk, busy: str) -> None:
    for path in paths(desk, busy, (*ADMIN_ACTS, *MEMBER_ACTS)):
        assert signed_in(desk, "alice").get(path).status_code == 405, path
        response = Client().post(path)
        assert response.status_code == 302, path
        assert response.headers["Location"].startswith("/accounts/login/")


def test_an_empty_desk_says_how_to_begin(db: None) -> None:
    desk = make_desk("Empty", {"alice": Role.OWNER})
    text = words(page(signed_in(desk, "alice"), "/agents"))
    assert "No agent has come yet" in text
    assert "Connect an agent" in text


def test_what_agents_say_is_shown_as_said(desk: Desk, alices: Client) -> None:
    agent = desk.agent("plain", labels={"<b>": "<script>x</script>"})
    agent.post("/api/v1/agents/me/heartbeat", {"status": "<img src=x>\u202e http://x.example"})
    for path in ("/agents", f"/agents/{agent_id(agent)}"):
        text = page(alices, path)
        assert "<img" not in text
        assert "<script>x" not in text
        assert "U+202E" in text


def test_an_unchanged_page_is_not_made_again(desk: Desk, busy: str, alices: Client) -> None:
    for path in ("/agents", f"/agents/{busy}"):
        alices.get(path)  # brings the cookie that forms are sent with
        with time_machine.travel(clock.now(), tick=False):  # it is new each minute
            etag = alices.get(path).headers["ETag"]
            assert alices.get(path, headers={"If-None-Match": etag}).status_code == 304
        alices.post(f"/agents/{busy}/ask", {"kind": "stop", "key": path})
        fresh = alices.get(path, headers={"If-None-Match": etag, "X-Refresh": "1"})
        assert fresh.status_code == 200
        alices.post(f"/agents/{busy}/withdraw", {"kind": "stop", "key": path})


def test_ids_are_uuids(alices: Client) -> None:
    assert alices.get(f"/agents/{UUID(int=0)}").status_code == 404
    assert alices.get("/agents/nonsense").status_code == 404
