"""Policies as pages: who sees what, what saving does, what is refused with what was typed kept."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Org, Project, User
from accounts.selectors import caller_of_membership
from accounts.services.orgs import member_add, project_make
from accounts.states import Role
from policy.models import Policy
from policy.services.policies import WHOLE, Reach, policy_set
from stuckbot.lib import clock
from stuckbot.lib.errors import Unavailable
from stuckbot.lib.models import Audit
from stuckbot.site.pages import policy
from tests.pages.test_people import key, page, signed_in
from tests.support import Desk, make_desk

DEFAULTS = {
    "blocker": "automatic",
    "task": "automatic",
    "verifier_wait_minutes": "0",
    "different_connector": "no",
    "different_provider": "no",
    "max_rejections": "3",
}
INHERITS = dict.fromkeys(DEFAULTS, "inherit") | {"max_rejections": ""}


def hidden(text: str) -> dict[str, str]:
    found = re.search(r'name="seen" value="([^"]+)"', text)
    assert found is not None
    return {"seen": found[1], "key": key(text)}


def row(desk: Desk, project: Project | None = None) -> Any:
    return Policy.objects.of(desk.org.id).filter(project=project, connector=None).first()


def put(desk: Desk, reach: Reach = WHOLE, **changes: Any) -> None:
    alice = caller_of_membership(desk.people["alice"])
    policy_set(actor=alice, changes=changes, now=clock.now(), reach=reach)


def chosen(text: str) -> set[tuple[str, str]]:
    """The radios that are ticked, as (name, value)."""
    radios = re.findall(r'<input type="radio" name="(\w+)" value="(\w+)" required (\w*)>', text)
    return {(name, value) for name, value, ticked in radios if ticked}


def forms_of(text: str) -> list[str]:
    """Where the forms of a page's own part lead."""
    forms = re.findall("<form[^>]*>", text[text.index("<main") :])
    return [found[1] if (found := re.search('action="([^"]*)"', one)) else "" for one in forms]


@pytest.fixture
def strict(desk: Desk) -> Project:
    return project_make(org=desk.org, name="Strict", now=clock.now())


def test_everybody_reads_what_holds(desk: Desk, strict: Project, other: Desk) -> None:
    put(desk, blocker="agent", verifier_wait_minutes=120)
    put(desk, Reach(strict.id), task="person")
    put_other = caller_of_membership(other.people["mallory"])
    policy_set(actor=put_other, changes={"task": "agent_then_person"}, now=clock.now())
    for name in ("bob", "carol"):
        text = page(signed_in(desk, name), "/policy")
        # A member may pause what an owner sets up; a viewer may not.
        assert forms_of(text) == (["/policy/pause"] if name == "bob" else [])
        for words in ("Another agent checks", "After 2 hours", "An owner or admin can change it."):
            assert words in text
        assert "Another agent, then me" not in text
        narrow = page(signed_in(desk, name), f"/policy/projects/{strict.id}")
        assert "I check it" in narrow
        assert narrow.count("(same as the org)") == 14


@pytest.mark.parametrize("name", ["alice", "dora"])
def test_owners_and_admins_save(desk: Desk, name: str) -> None:
    dora = User.objects.create_user("dora@acme.example", "correct horse")
    desk.people["dora"] = member_add(org=desk.org, user=dora, role=Role.ADMIN, now=clock.now())
    client = signed_in(desk, name)
    text = page(client, "/policy")
    assert chosen(text) == {("blocker", "automatic"), ("task", "automatic")}
    sent = DEFAULTS | {"blocker": "agent", "different_provider": "yes", "max_rejections": "5"}
    response = client.post("/policy/save", sent | hidden(text))
    assert (response.status_code, response.headers["Location"]) == (303, "/policy")
    saved = row(desk)
    assert (saved.blocker, saved.different_provider, saved.max_rejections) == ("agent", True, 5)
    # What was left as it was still follows the default.
    assert (saved.task, saved.verifier_wait_minutes) == (None, None)
    text = page(client, "/policy")
    assert "The policy is saved." in text
    assert chosen(text) == {("blocker", "agent"), ("task", "automatic")}
    entry = Audit.objects.of(desk.org.id).get(action="policy_added")
    assert entry.actor_id == desk.people[name].actor_id


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_a_member_may_not(desk: Desk, strict: Project, name: str) -> None:
    client = signed_in(desk, name)
    for path in ("/policy/save", f"/policy/projects/{strict.id}/save"):
        assert client.post(path, DEFAULTS | {"task": "person"}).status_code == 403
    assert row(desk) is None
    assert row(desk, strict) is None


def test_a_project_inherits_until_it_is_set(desk: Desk, strict: Project) -> None:
    put(desk, blocker="person")
    client, path = signed_in(desk, "alice"), f"/policy/projects/{strict.id}"
    text = page(client, path)
    assert chosen(text) == {("blocker", "inherit"), ("task", "inherit")}
    assert "Now: I check it" in text
    assert client.post(f"{path}/save", INHERITS | hidden(text)).status_code == 303
    assert row(desk, strict) is None
    sent = {"task": "agent", "different_connector": "yes", "verifier_wait_minutes": "0"}
    client.post(f"{path}/save", INHERITS | sent | hidden(text))
    saved = row(desk, strict)
    assert (saved.blocker, saved.task, saved.max_rejections) == (None, "agent", None)
    assert (saved.different_connector, saved.verifier_wait_minutes) == (True, 0)
    listed = page(client, "/policy")
    assert "Not the solver" in listed
    assert "Ask a person instead of a verifier: Never" in listed
    client.post(f"{path}/save", INHERITS | hidden(page(client, path)))
    saved = row(desk, strict)
    assert (saved.task, saved.different_connector, saved.verifier_wait_minutes) == (None,) * 3
    assert "Its own" not in page(client, "/policy")


def test_what_the_page_does_not_show_stays(desk: Desk) -> None:
    put(desk, lease_minutes=30, task="person")
    client = signed_in(desk, "alice")
    client.post("/policy/save", DEFAULTS | hidden(page(client, "/policy")))
    assert (row(desk).lease_minutes, row(desk).task) == (30, "automatic")


def test_a_stale_form_is_refused_with_what_was_typed_kept(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    form = hidden(page(client, "/policy"))
    put(desk, task="person", verifier_wait_minutes=45)
    version = Org.objects.get(id=desk.org.id).policy_version
    sent = DEFAULTS | {"blocker": "agent", "max_rejections": "7"}
    response = client.post("/policy/save", sent | form)
    text = response.content.decode()
    assert response.status_code == 409
    assert "Somebody changed this policy meanwhile" in text
    assert chosen(text) == {("blocker", "agent"), ("task", "automatic")}
    assert 'value="7"' in text
    assert "When a task is finished: I check it" in text
    assert "Ask a person instead of a verifier: After 45 minutes" in text
    assert row(desk).blocker is None
    assert Org.objects.get(id=desk.org.id).policy_version == version
    # Seen by now, so what was typed may be saved over it.
    assert client.post("/policy/save", sent | hidden(text)).status_code == 303
    saved = row(desk)
    assert (saved.blocker, saved.task, saved.max_rejections) == ("agent", "automatic", 7)


def test_a_wait_that_was_taken_away_meanwhile_is_a_stale_form_too(desk: Desk) -> None:
    put(desk, verifier_wait_minutes=45)
    client = signed_in(desk, "alice")
    form = hidden(page(client, "/policy"))
    put(desk, verifier_wait_minutes=60)
    sent = DEFAULTS | {"verifier_wait_minutes": "45"} | form
    assert client.post("/policy/save", sent).status_code == 409


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"blocker": "sometimes"}, "Select a valid choice"),
        ({"task": ""}, "This field is required"),
        ({"verifier_wait_minutes": "-5"}, "Select a valid choice"),
        ({"verifier_wait_minutes": "99999"}, "Select a valid choice"),
        ({"different_provider": "perhaps"}, "Select a valid choice"),
        ({"max_rejections": "0"}, "greater than or equal to 1"),
        ({"max_rejections": "101"}, "less than or equal to 100"),
        ({"max_rejections": ""}, "This field is required"),
        ({"blocker": "inherit"}, "Select a valid choice"),
    ],
)
def test_nonsense_is_refused_with_what_was_typed_kept(
    desk: Desk, sent: dict[str, str], words: str
) -> None:
    client = signed_in(desk, "alice")
    form = hidden(page(client, "/policy"))
    response = client.post("/policy/save", DEFAULTS | {"different_connector": "yes"} | sent | form)
    text = response.content.decode()
    assert response.status_code == 422
    assert words in text
    assert '<option value="yes" selected>Not the solver' in text
    assert row(desk) is None


def test_every_fault_is_said_at_once(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    text = client.post("/policy/save", {"max_rejections": "0"}).content.decode()
    assert text.count("This field is required") == 5
    assert "greater than or equal to 1" in text


def test_a_double_click_saves_once(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    sent = DEFAULTS | {"task": "person"} | hidden(page(client, "/policy"))
    assert [client.post("/policy/save", sent).status_code for _ in range(3)] == [303] * 3
    assert Audit.objects.of(desk.org.id).filter(action__startswith="policy_").count() == 1


def test_another_orgs_project_is_not_there(desk: Desk, other: Desk) -> None:
    client = signed_in(desk, "alice")
    path = f"/policy/projects/{other.org.default_project_id}"
    assert client.get(path).status_code == 404
    assert client.post(f"{path}/save", INHERITS | {"task": "person"}).status_code == 404
    assert row(other) is None


def test_it_saves_in_the_org_that_was_shown(desk: Desk) -> None:
    second = make_desk("Second", {"alice": Role.OWNER}, like=desk)
    client = signed_in(desk, "alice")
    text = page(client, f"/policy?org={second.org.id}")
    action = f'action="/policy/save?org={second.org.id}"'
    assert action in text
    page(client, f"/policy?org={desk.org.id}")
    sent = DEFAULTS | {"task": "person"} | hidden(text)
    client.post(f"/policy/save?org={second.org.id}", sent)
    assert row(second).task == "person"
    assert row(desk) is None


def test_it_acts_by_post_alone_and_for_who_is_signed_in(desk: Desk) -> None:
    assert signed_in(desk, "alice").get("/policy/save").status_code == 405
    response = Client().post("/policy/save", DEFAULTS)
    assert response.status_code == 302
    assert response.headers["Location"] == "/accounts/login/?next=/policy"


def test_rules_of_single_connectors_are_told(desk: Desk, strict: Project) -> None:
    put(desk, Reach(strict.id, desk.connector.id), task="agent", max_rejections=9)
    text = page(signed_in(desk, "carol"), "/policy")
    assert "Connectors with rules of their own" in text
    assert "Rejected fixes before a person is asked: 9" in text


def test_many_projects_take_no_more_statements(
    desk: Desk, django_assert_max_num_queries: Any
) -> None:
    for number in range(40):
        made = project_make(org=desk.org, name=f"Project {number}", now=clock.now())
        put(desk, Reach(made.id), task="person")
    client = signed_in(desk, "alice")
    with django_assert_max_num_queries(12):
        text = page(client, "/policy")
    assert text.count("Its own") == 40


def test_a_busy_desk_takes_nothing_that_was_typed(desk: Desk, monkeypatch: Any) -> None:
    client = signed_in(desk, "alice")
    sent = DEFAULTS | {"task": "person"} | hidden(page(client, "/policy"))

    def busy(**_given: Any) -> None:
        raise Unavailable("Others are changing the same thing right now. Try again.")

    monkeypatch.setattr(policy, "policy_set", busy)
    response = client.post("/policy/save", sent)
    text = response.content.decode()
    assert response.status_code == 503
    assert "Try again." in text
    assert ("task", "person") in chosen(text)
    assert "What holds now" not in text
