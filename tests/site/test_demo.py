"""The demo: a believable week through the services, and exactly that taken away again."""

import hashlib
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from accounts.models import Agent, Connector, Membership, Notice, Org, Token, User
from accounts.selectors import caller_of_membership
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.models import Audit, Event, Mail, OrgClock, OutboxCursor
from stuckbot.site.demo.cast import is_demo
from stuckbot.site.demo.removal import demo_remove
from stuckbot.site.demo.script import stories_of
from stuckbot.site.demo.week import record_find
from stuckbot.site.notices.reading import notices_read
from tests.support import Desk, file_ticket
from tickets.cards import Card
from tickets.colours import status_of
from tickets.models import Claim, Finding, Note, Ticket, WordSet
from tickets.packages.warnings import package_warnings
from tickets.selectors import Narrowing, tickets_list
from tickets.services.intake import package_take
from tickets.states import State
from verification.models import Evidence, Verification


def demo(*arguments: str) -> str:
    said = StringIO()
    call_command("demo", *arguments, stdout=said)
    return said.getvalue()


@pytest.fixture
def made(db: None) -> Org:
    demo("--new", "Lighthouse")
    return Org.objects.get(name="Lighthouse")


def rows(*, leave: tuple[type[Any], ...] = ()) -> dict[str, str]:
    """Every table by a digest of all its rows, in any order."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        if model in leave:
            continue
        table = connection.ops.quote_name(model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            lines = sorted(
                repr([bytes(one) if isinstance(one, memoryview) else one for one in row])
                for row in cursor.fetchall()
            )
        found[model._meta.label] = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return found


def cards_of(org: Org) -> list[Card]:
    owner = Membership.objects.of(org.id).select_related("org", "actor").filter(role="owner")[0]
    caller = caller_of_membership(owner)
    return tickets_list(actor=caller, now=clock.now(), narrowing=Narrowing(), limit=100)


def test_it_shows_every_state_and_colour(made: Org) -> None:
    tickets = Ticket.objects.of(made.id)
    assert 38 <= tickets.count() <= 45
    # Handing a ticket on to another one comes later.
    assert {ticket.state for ticket in tickets} == set(State) - {State.HANDED_OFF}
    now = clock.now()
    shown = [status_of(card, now, org_paused=False) for card in cards_of(made)]
    by_colour = Counter(str(status.color) for status in shown)
    assert min(by_colour[color] for color in ("RED", "YELLOW", "ORANGE", "GREEN")) >= 5
    assert {status.rule for status in shown} >= {
        *("unclaimed", "claimed", "waits_for_verifier", "waits_for_task", "waits_for_person"),
        *("needs_human", "blocked", "paused", "completed", "resolved", "withdrawn"),
        "closed_without_proof",
    }


def test_it_has_people_agents_and_traces_of_work(made: Org) -> None:
    assert Counter(Membership.objects.of(made.id).values_list("role", flat=True)) == Counter(
        ["owner", "admin", "member", "viewer"]
    )
    people = Membership.objects.of(made.id).select_related("user")
    assert all(one.last_seen_at and is_demo(one.user) for one in people)
    assert not any(one.user.is_active or one.user.has_usable_password() for one in people)
    agents = Agent.objects.of(made.id)
    assert agents.count() == 9
    assert len(set(agents.values_list("provider", flat=True))) == 4
    ends = set(Claim.objects.of(made.id).values_list("end_reason", flat=True))
    assert ends >= {"submitted", "released", "expired", "escalated", ""}
    assert Note.objects.of(made.id).count() > 30
    assert Evidence.objects.of(made.id).filter(result="fail").exists()
    assert Verification.objects.of(made.id).count() > 10
    # Secrets that an agent left in a text are masked, and told, on one ticket alone.
    assert Finding.objects.of(made.id).values("ticket").distinct().count() == 1
    assert not Token.objects.of(made.id).filter(kind__in=["sbe", "sbk", "sbp"]).exists()


def test_it_tells_what_happened_in_order(made: Org) -> None:
    times = list(Event.objects.of(made.id).order_by("seq").values_list("at", flat=True))
    assert times == sorted(times)
    assert times[-1] <= clock.now()
    filed = list(Ticket.objects.of(made.id).order_by("number").values_list("created_at", flat=True))
    assert filed == sorted(filed)


@pytest.mark.parametrize("place", range(len(stories_of(1))))
def test_its_packages_are_well_written(place: int) -> None:
    package = stories_of(1)[place].package
    intake = package_take(package)
    warned = [one for one in package_warnings(intake.package) if one.code != "criterion_masked"]
    assert warned == []
    assert set(package["human_summary"]) == {"problem", "impact", "next_step"}


def test_it_is_the_same_by_seed() -> None:
    assert stories_of(3) == stories_of(3)
    assert stories_of(3) != stories_of(4)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_of_it_is_still_to_come(seed: int) -> None:
    for story in stories_of(seed):
        assert all(act.minute < story.hours * 60 for act in story.acts), story.package["title"]


def test_a_second_run_says_that_it_is_there(made: Org) -> None:
    before = rows()
    assert "there already" in demo("--new", "Lighthouse")
    assert "there already" in demo("--org", str(made.id), "--seed", "9")
    assert rows() == before


def test_it_opens_for_a_member_alone(db: None, client: Client) -> None:
    ana = User.objects.create_user("ana@example.com", "correct horse")
    said = demo("--new", "Lighthouse", "--member", "ana@example.com")
    org = Org.objects.get(name="Lighthouse")
    assert str(org.id) in said
    client.force_login(ana, "django.contrib.auth.backends.ModelBackend")
    assert "Version 6.3 charges some customers twice" in client.get("/").content.decode()
    assert not User.objects.filter(is_active=True).exclude(id=ana.id).exists()
    demo("--new", "Lighthouse", "--remove")
    assert User.objects.filter(id=ana.id).exists()
    assert not Org.objects.filter(id=org.id).exists()


def test_it_sends_no_mail(made: Org) -> None:
    demo("--org", str(made.id), "--remove")
    assert mail.outbox == []


def test_nobody_is_told_of_its_decisions(desk: Desk) -> None:
    demo("--new", "Lighthouse", "--member", "alice@acme.example")
    org = Org.objects.get(name="Lighthouse")
    notices_read(org.id, org.id, clock.now())
    assert not Notice.objects.of(org.id).exists()
    assert not Mail.objects.exclude(maker="").exists()
    demo("--org", str(desk.org.id))
    notices_read(desk.org.id, desk.org.id, clock.now())
    assert not Notice.objects.of(desk.org.id).exists()


def test_it_goes_though_somebody_was_told_of_it(desk: Desk) -> None:
    """As after a ticket of it was sent back and needed a person once more."""
    demo("--new", "Lighthouse", "--member", "alice@acme.example")
    for org in (Org.objects.get(name="Lighthouse"), desk.org):
        if org == desk.org:
            demo("--org", str(org.id))
        OutboxCursor.objects.of(org.id).delete()
        notices_read(org.id, org.id, clock.now())
        assert Notice.objects.of(org.id).exists()
        demo("--org", str(org.id), "--remove")
        assert not Notice.objects.of(org.id).exists()
    assert not Org.objects.filter(name="Lighthouse").exists()


def test_an_org_of_its_own_goes_without_a_trace(desk: Desk, stuck: Any) -> None:
    file_ticket(stuck)
    before = rows()
    demo("--new", "Lighthouse")
    assert rows() != before
    assert "org with it" in demo("--new", "Lighthouse", "--remove")
    assert rows() == before


def test_in_an_org_of_yours_it_takes_away_what_it_made(desk: Desk, other: Desk) -> None:
    file_ticket(other.agent("theirs"))
    # Audit, counters and sets of labels are the org's own books.
    books = (Audit, OrgClock, OutboxCursor, WordSet, Org)
    before = rows(leave=books)
    demo("--org", str(desk.org.id))
    demo("--org", str(desk.org.id), "--remove")
    assert rows(leave=books) == before
    assert record_find(desk.org.id) is None
    with pytest.raises(CommandError, match="There is no demo"):
        demo("--org", str(desk.org.id), "--remove")
    demo("--org", str(desk.org.id))
    assert record_find(desk.org.id) is not None


def test_it_mixes_with_no_tickets_of_yours(desk: Desk, stuck: Any) -> None:
    file_ticket(stuck)
    before = rows()
    with pytest.raises(CommandError, match="tickets of its own"):
        demo("--org", str(desk.org.id))
    assert rows() == before


def test_it_leaves_your_tickets_standing(desk: Desk, stuck: Any) -> None:
    demo("--org", str(desk.org.id))
    ref = file_ticket(stuck, title="Mine")["ref"]
    demo("--org", str(desk.org.id), "--remove")
    assert stuck.get(f"/api/v1/tickets/{ref}").ok()["ticket"]["ref"] == ref
    assert Ticket.objects.of(desk.org.id).count() == 1


def test_it_asks_before_it_takes_your_comments_along(desk: Desk, alice: Any) -> None:
    demo("--org", str(desk.org.id))
    alice.post("/api/v1/tickets/SB-1/comments", {"body": "Nice"}).ok(201)
    with pytest.raises(CommandError, match="SB-1"):
        demo("--org", str(desk.org.id), "--remove")
    assert Ticket.objects.of(desk.org.id).exists()
    demo("--org", str(desk.org.id), "--remove", "--with-replies")
    assert not Ticket.objects.of(desk.org.id).exists()


def test_it_leaves_an_org_in_which_others_moved_in(made: Org) -> None:
    eve = User.objects.create_user("eve@example.com", "correct horse")
    member_add(org=made, user=eve, role=Role.MEMBER, now=clock.now())
    assert demo_remove(org=made, with_replies=False, now=clock.now()) is False
    assert Membership.objects.of(made.id).get().user == eve
    assert not Ticket.objects.of(made.id).exists()


def test_it_refuses_while_a_row_of_yours_names_one_of_it(desk: Desk, stuck: Any) -> None:
    demo("--org", str(desk.org.id))
    file_ticket(stuck)
    mine = Ticket.objects.of(desk.org.id).order_by("-number")[0]
    theirs = Membership.objects.of(desk.org.id).get(user__name="Priya Nair")
    Ticket.objects.of(desk.org.id).filter(id=mine.id).update(assignee=theirs.actor_id)
    before = rows()
    with pytest.raises(CommandError, match="assignee"):
        demo("--org", str(desk.org.id), "--remove")
    assert rows() == before


def test_it_keeps_a_person_whom_another_org_took_in(made: Org, other: Desk) -> None:
    tomasz = User.objects.get(name="Tomasz Lis")
    member_add(org=other.org, user=tomasz, role=Role.VIEWER, now=clock.now())
    demo("--org", str(made.id), "--remove")
    assert User.objects.filter(name="Tomasz Lis").exists()
    assert not User.objects.filter(name="Ana Ruiz").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--org", "nonsense"], "no org of that id"),
        (["--new", "X", "--member", "nobody@example.com"], "nobody has a login"),
        (["--new", "Nowhere", "--remove"], "no org of that name"),
        (["--new", "Acme"], "Choose another name"),
        (["--new", " "], "name"),
    ],
)
def test_it_says_what_is_wrong(desk: Desk, arguments: list[str], said: str) -> None:
    before = rows()
    with pytest.raises(CommandError, match=said):
        demo(*arguments)
    assert rows() == before
    assert Connector.objects.of(desk.org.id).count() == 1
