"""The pages, by literal addresses, as a person with a browser that runs no script."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from tests.support import TAKEOVER, Api, Desk, file_ticket, make_package, prove, resolve
from tests.tickets.test_findings import SECRET, token
from tickets.models import Finding, Ticket


@pytest.fixture
def reader(desk: Desk) -> Client:
    return signed_in(desk, "alice")


def signed_in(desk: Desk, name: str) -> Client:
    client = Client()
    client.force_login(desk.people[name].user, "django.contrib.auth.backends.ModelBackend")
    return client


def text(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, response.content[:500]
    return response.content.decode()


def test_it_sends_strangers_to_sign_in(desk: Desk) -> None:
    for path in ("/", "/tickets/SB-1"):
        response = Client().get(path)
        assert (response.status_code, response.headers["Location"].split("?")[0]) == (
            302,
            "/accounts/login/",
        )


def test_it_says_how_to_connect_an_agent(reader: Client) -> None:
    page = text(reader, "/")
    assert "Connect your first agent" in page
    assert "STUCKBOT_URL=http://127.0.0.1:8000" in page


def test_it_shows_a_ticket_whole(reader: Client, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, **TAKEOVER, context={"errors": ["gyp ERR!"], "workspace": {"repo": "r/x"}})
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": "Looking at it"}).ok(201)
    prove(solver, "SB-1", output_excerpt="added 12 packages").ok(201)
    page = text(reader, "/tickets/SB-1")
    for shown in (
        "On it: solver, 60 min left.",
        "What is wrong",
        "The build is missing Python.",
        "What it needs now",
        "Nothing from you. Somebody is working on it.",
        "Is the blocker gone?",
        "A clean install works",
        "Self-reported",
        "added 12 packages",
        "Is the task done?",
        "No proof yet",
        "gyp ERR!",
        "repo: r/x",
        "Looking at it",
        "<bdi>stuck</bdi> filed the ticket.",
        '<li title="evidence_added">',
    ):
        assert shown in page, shown


def test_it_says_how_a_fix_was_approved(reader: Client, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    assert "Not submitted yet." in text(reader, "/tickets/SB-1")
    resolve(solver, "SB-1")
    page = text(reader, "/tickets/SB-1")
    assert "on nothing but the solver&#x27;s own report" in page
    assert "The blocker is gone." in page


def test_it_says_what_waits_for_whom(reader: Client, stuck: Api) -> None:
    criteria = [
        {"description": "It looks right", "method": "manual", "expected": "yes"},
        {
            "description": "It answers",
            "method": "external_check",
            "url": "https://example.com/",
            "expected": "200",
        },
    ]
    file_ticket(stuck, blocker_criteria=criteria)
    page = text(reader, "/tickets/SB-1")
    assert "Waits for a person" in page
    assert "Not reported yet. Once it is, StuckBot opens the address" in page


def test_it_shows_an_old_client_s_ticket(reader: Client, stuck: Api) -> None:
    file_ticket(stuck, human_summary=None)
    assert (
        "npm ci fails: find Python" in text(reader, "/tickets/SB-1").split("What it needs now")[0]
    )


def test_it_hides_what_is_not_there(reader: Client, other: Desk) -> None:
    file_ticket(other.agent("theirs"))
    for path in ("/tickets/SB-1", "/tickets/SB-99", "/tickets/nonsense", "/nowhere"):
        assert "There is nothing here" in text(reader, path, 404)
    page = text(reader, f"/?org={other.org.id}", 404)
    assert "Other" not in page


def test_it_switches_between_orgs(desk: Desk, other: Desk, stuck: Api) -> None:
    member_add(org=other.org, user=desk.people["alice"].user, role=Role.VIEWER, now=clock.now())
    file_ticket(stuck, title="Of Acme")
    file_ticket(other.agent("theirs"), title="Of the other")
    reader = signed_in(desk, "alice")
    assert "Of Acme" in text(reader, "/")
    assert "Of the other" in text(reader, f"/?org={other.org.id}")
    assert "Of the other" in text(reader, "/tickets/SB-1")
    assert "Of Acme" in text(reader, f"/tickets/SB-1?org={desk.org.id}")


def test_it_lets_a_viewer_read(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    assert "SB-1" in text(signed_in(desk, "carol"), "/")
    assert "A clean install works" in text(signed_in(desk, "carol"), "/tickets/SB-1")


def test_it_tells_a_person_without_an_org(db: None) -> None:
    reader = Client()
    reader.force_login(
        User.objects.create_user("dan@example.com", "correct horse"),
        "django.contrib.auth.backends.ModelBackend",
    )
    assert "You belong to no organisation yet" in text(reader, "/", 403)
    assert "You belong to no organisation yet" in text(reader, "/tickets/SB-1", 403)


def test_it_shows_times_in_the_reader_s_zone(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    user = desk.people["alice"].user
    User.objects.filter(id=user.id).update(time_zone="Asia/Kolkata")
    assert " IST" in text(signed_in(desk, "alice"), "/")
    User.objects.filter(id=user.id).update(time_zone="No/Such_Zone")
    assert " UTC" in text(signed_in(desk, "alice"), "/")


def test_it_asks_as_much_for_a_long_ticket(reader: Client, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    count = counter(reader, "/tickets/SB-1")
    short = count()
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    for number in range(5):
        solver.post("/api/v1/tickets/SB-1/updates", {"body": f"Step {number}"}).ok(201)
        prove(solver, "SB-1").ok(201)
    assert count() == short <= 12


def counter(client: Client, path: str) -> Callable[[], int]:
    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            text(client, path)
        return len(captured)

    return count


HOSTILE = '</p><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 }}{% now "Y" %}"\'&\u202e'


def test_it_escapes_hostile_text_everywhere(reader: Client, desk: Desk, solver: Api) -> None:
    stuck = desk.agent("<b>agent</b>")
    file_ticket(stuck, **hostile_package())
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": HOSTILE}).ok(201)
    prove(solver, "SB-1", output_excerpt=HOSTILE, cwd=HOSTILE).ok(201)
    solver.post("/api/v1/tickets/SB-1/comments", {"body": HOSTILE}).ok(201)
    solver.post("/api/v1/tickets/SB-1/block", {"reason": HOSTILE})
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": HOSTILE}).ok()
    for path in ("/", "/tickets/SB-1"):
        page = text(reader, path)
        assert "<script" not in page.replace('<script src="/static/', "")
        assert "<img" not in page
        assert "<b>agent" not in page
        assert "{{ 7 }}" in page
    assert page.count("&lt;script&gt;") >= 15


def hostile_package() -> dict[str, object]:
    criteria = make_package()["blocker_criteria"]
    return {
        "title": HOSTILE,
        "human_summary": {"problem": HOSTILE, "impact": HOSTILE, "next_step": HOSTILE},
        "objective": HOSTILE,
        "stuck_reason": HOSTILE,
        "completed": [HOSTILE],
        "remaining": [HOSTILE],
        "attempts": [{"what": HOSTILE, "result": HOSTILE}],
        "next_steps": [HOSTILE],
        "repro": [HOSTILE],
        "constraints": HOSTILE,
        "budget_spent": {HOSTILE: 1},
        "context": {"errors": [HOSTILE], "environment": {HOSTILE: HOSTILE}, HOSTILE: [HOSTILE]},
        "blocker_criteria": [{**criteria[0], "description": HOSTILE, "expected": HOSTILE}],
    }


def test_it_says_what_was_masked_and_what_to_do(reader: Client, stuck: Api) -> None:
    file_ticket(stuck)
    assert "masked" not in text(reader, "/tickets/SB-1")
    file_ticket(stuck, context={"errors": [f"remote: token {SECRET} rejected"]})
    page = text(reader, "/tickets/SB-2")
    for shown in (
        "A secret was masked in this ticket.",
        "Rotate this secret",
        "It was masked here, but whoever saw it before may have copied it. "
        "Rotate it: make a new one and revoke the old.",
        "in the package",
        "package.context.errors[0]",
        "remote: token [REDACTED] rejected",
        "masked a secret in what was written.",
    ):
        assert shown in page, shown
    assert SECRET not in page
    assert page.index("A secret was masked") < page.index("What is wrong")
    assert page.index("Rotate this secret") < page.index("Technical details")


def test_it_counts_no_flood_of_secrets(reader: Client, stuck: Api, desk: Desk) -> None:
    file_ticket(stuck, completed=[f"Made {token(number)}" for number in range(3)])
    Finding.objects.of(desk.org.id).filter(place="package.completed[0]").update(kind="flood")
    page = text(reader, "/tickets/SB-1")
    assert "Very many secrets were masked in this ticket." in page
    assert "places." not in page
    assert "Too many secrets to count" in page


@pytest.mark.parametrize(
    ("minutes", "left"),
    [(1, "1 min left."), (119, "119 min left."), (359, "5 h 59 min left."), (360, "6 h left.")],
)
def test_it_says_how_long_is_left(
    reader: Client, stuck: Api, solver: Api, minutes: int, left: str
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    until = clock.now() + timedelta(minutes=minutes, seconds=5)
    Ticket.unscoped.update(lease_until=until)
    assert f"On it: solver, {left}" in text(reader, "/tickets/SB-1")


def test_a_closed_ticket_is_not_said_to_be_submitted_yet(
    reader: Client, stuck: Api, alice: Api
) -> None:
    file_ticket(stuck)
    assert "Not submitted yet." in text(reader, "/tickets/SB-1")
    alice.post("/api/v1/tickets/SB-1/close", {}).ok()
    assert "Never submitted." in text(reader, "/tickets/SB-1")


def test_it_folds_all_but_the_first_of_many_secrets(reader: Client, stuck: Api) -> None:
    file_ticket(stuck, completed=[f"Made {token(number)}" for number in range(7)])
    page = text(reader, "/tickets/SB-1")
    assert "Secrets were masked in this ticket, in 7 places." in page
    assert "Rotate these secrets" in page
    assert page.count('<span class="kind"') == 7
    assert page.index("package.completed[4]") < page.index("Show 2 more")
    assert page.index("Show 2 more") < page.index("package.completed[5]")


def test_it_names_the_place_of_every_text(reader: Client, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": SECRET}).ok(201)
    prove(solver, "SB-1", output_excerpt=SECRET).ok(201)
    solver.post("/api/v1/tickets/SB-1/release", {"note": SECRET}).ok()
    page = text(reader, "/tickets/SB-1")
    for place in ("in an update", "in the proof", "in the note on giving it back"):
        assert place in page, place
    assert SECRET not in page
