"""What operators do to tickets and tokens: by services, asked first, audited."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import Agent, Invitation, Token, User
from accounts.selectors import caller_of_membership
from accounts.services.invitations import invitation_send
from accounts.services.orgs import person_token_make
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.mail import Letter, mail_queue
from stuckbot.lib.models import Audit, Event, Mail
from tests.support import Api, Desk, file_ticket
from tickets.models import Note, Ticket

SURE = {"sure": "yes"}


@pytest.fixture
def operator(db: None) -> Client:
    """A superuser of no org."""
    return _signed_in(User.objects.create_superuser("root@example.com", "correct horse"))


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def ticket(desk: Desk, stuck: Api) -> Ticket:
    file_ticket(stuck)
    return Ticket.objects.of(desk.org.id).get()


def path_of(ticket: Ticket) -> str:
    return f"/admin/tickets/ticket/{ticket.id}"


def events(ticket: Ticket) -> list[str]:
    rows = Event.objects.of(ticket.org_id).filter(ticket_id=ticket.id).order_by("seq")
    return list(rows.values_list("type", flat=True))


def test_it_tries_a_mail_at_once(operator: Client) -> None:
    mail = mail_queue(Letter("ana@example.com", "Hello", "Hi.\n"), now=clock.now())
    path = f"/admin/core/mail/{mail.id}"
    Mail.objects.update(due_at=clock.now() + timedelta(minutes=15), attempts=9)
    assert "Try it now" in operator.get(f"{path}/change/").content.decode()
    operator.post(f"{path}/hurry/")
    mail.refresh_from_db()
    assert mail.due_at <= clock.now()
    Mail.objects.update(quarantined_at=clock.now(), letter="")
    given_up = operator.get(f"{path}/change/").content.decode()
    assert "It was given up" in given_up
    assert "Try it now" not in given_up


def test_it_sends_an_invitation_again_as_the_member_one_is(operator: Client, desk: Desk) -> None:
    alice = caller_of_membership(desk.people["alice"])
    now = clock.now() - timedelta(days=3)
    made = invitation_send(actor=alice, email="new@example.com", role=Role.VIEWER, now=now)
    path = f"/admin/accounts/invitation/{made.id}"
    assert "Send it again" in operator.get(f"{path}/change/").content.decode()
    refused = operator.post(f"{path}/again/", follow=True).content.decode()
    assert "Only an owner or admin" in refused
    User.objects.filter(id=desk.people["alice"].user_id).update(is_staff=True, is_superuser=True)
    _signed_in(User.objects.get(id=desk.people["alice"].user_id)).post(f"{path}/again/")
    renewed = Invitation.objects.of(desk.org.id).get()
    assert renewed.expires_at > made.expires_at
    assert Mail.objects.count() == 2
    Invitation.objects.of(desk.org.id).update(revoked_at=clock.now())
    assert "Send it again" not in operator.get(f"{path}/change/").content.decode()


def test_it_pauses_and_resumes(operator: Client, ticket: Ticket) -> None:
    page = operator.get(f"{path_of(ticket)}/change/").content.decode()
    assert "Pause it" in page
    assert "Resume it" not in page
    operator.post(f"{path_of(ticket)}/pause/", {"note": "Storage is replaced"})
    assert Ticket.objects.of(ticket.org_id).get().paused_at is not None
    page = operator.get(f"{path_of(ticket)}/change/").content.decode()
    assert "Resume it" in page
    operator.post(f"{path_of(ticket)}/resume/")
    ticket.refresh_from_db()
    assert ticket.paused_at is None
    assert events(ticket)[-2:] == ["ticket_paused", "ticket_resumed"]
    entry = Audit.objects.of(ticket.org_id).get(action="operator_pause")
    assert entry.target == str(ticket.id)
    assert entry.data["operator"]


def test_it_closes_and_reopens(operator: Client, ticket: Ticket) -> None:
    operator.post(f"{path_of(ticket)}/close/", {"note": "Not worth it"})
    ticket.refresh_from_db()
    assert (ticket.state, ticket.assurance) == ("closed", "none")
    operator.post(f"{path_of(ticket)}/reopen/")
    ticket.refresh_from_db()
    assert ticket.state == "open"


def test_it_frees_a_ticket_from_its_holder(operator: Client, ticket: Ticket, solver: Api) -> None:
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    refused = operator.post(f"{path_of(ticket)}/release/", {"note": " "}, follow=True)
    assert "Say in a note" in refused.content.decode()
    operator.post(f"{path_of(ticket)}/release/", {"note": "It hangs"})
    ticket.refresh_from_db()
    assert ticket.state == "open"
    assert ticket.claim_id is None


def test_it_says_what_the_state_refuses(operator: Client, ticket: Ticket) -> None:
    page = operator.post(f"{path_of(ticket)}/reopen/", follow=True).content.decode()
    assert "which allows no reopen" in page
    ticket.refresh_from_db()
    assert ticket.state == "open"
    assert not Audit.objects.of(ticket.org_id).filter(action="operator_reopen").exists()


def test_it_acts_in_the_members_name_where_the_operator_is_one(desk: Desk, ticket: Ticket) -> None:
    alice = desk.people["alice"]
    User.objects.filter(id=alice.user_id).update(is_staff=True, is_superuser=True)
    _signed_in(User.objects.get(id=alice.user_id)).post(f"{path_of(ticket)}/pause/")
    ticket.refresh_from_db()
    assert ticket.paused_by_id == alice.actor_id


def test_chosen_tickets_move_together_once_sure(
    operator: Client, desk: Desk, ticket: Ticket, stuck: Api
) -> None:
    file_ticket(stuck)
    closed = file_ticket(stuck)
    stuck.post(f"/api/v1/tickets/{closed['ref']}/withdraw").ok()
    chosen = [str(one.id) for one in Ticket.objects.of(desk.org.id)]
    values: dict[str, Any] = {"action": "close_chosen", "_selected_action": chosen}
    asked = operator.post("/admin/tickets/ticket/", values).content.decode()
    assert "Close these tickets?" in asked
    assert "SB-1" in asked
    assert not Ticket.objects.of(desk.org.id).filter(state="closed").exists()
    values |= {**SURE, "note": "Spring cleaning"}
    done = operator.post("/admin/tickets/ticket/", values, follow=True).content.decode()
    assert "Done for 2 of 3." in done
    assert "SB-3: SB-3 is withdrawn" in done
    assert Ticket.objects.of(desk.org.id).filter(state="closed").count() == 2


@pytest.mark.parametrize("verb", ["pause", "resume", "close", "reopen", "release"])
def test_a_reader_presses_nothing(desk: Desk, ticket: Ticket, verb: str) -> None:
    reader = User.objects.create_user("reader@example.com", "correct horse", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_ticket"))
    client = _signed_in(reader)
    page = client.get(f"{path_of(ticket)}/change/").content.decode()
    assert "What you can do" not in page
    assert client.post(f"{path_of(ticket)}/{verb}/").status_code == 403
    values = {"action": f"{verb}_chosen", "_selected_action": str(ticket.id), **SURE}
    client.post("/admin/tickets/ticket/", values)
    assert events(ticket) == ["ticket_created"]
    assert client.get(f"{path_of(ticket)}/{verb}/").status_code in (403, 404, 405)


def _live(desk: Desk) -> int:
    return Token.objects.of(desk.org.id).filter(revoked_at=None).count()


def test_it_asks_before_it_revokes(operator: Client, desk: Desk, stuck: Api, solver: Api) -> None:
    agent = Agent.objects.of(desk.org.id).get(name="stuck")
    path = f"/admin/accounts/agent/{agent.id}/tokens/"
    before = _live(desk)
    asked = operator.post(path)
    assert "1 of them would still sign in" in asked.content.decode()
    assert _live(desk) == before
    operator.post(path, SURE)
    assert stuck.get("/api/v1/agents/me").code == "token_revoked"
    assert solver.get("/api/v1/agents/me").status == 200
    entry = Audit.objects.of(desk.org.id).get(action="agent_tokens_revoked")
    assert entry.data["count"] == 1


def test_it_revokes_all_of_a_connector(
    operator: Client, desk: Desk, other: Desk, stuck: Api
) -> None:
    theirs = other.agent("theirs")
    path = f"/admin/accounts/connector/{desk.connector.id}/tokens/"
    operator.post(path, SURE)
    assert stuck.get("/api/v1/agents/me").code == "token_revoked"
    late = Api(desk.enrollment_secret).post("/api/v1/agents/register", {"name": "late"})
    assert late.code == "token_revoked"
    assert theirs.get("/api/v1/agents/me").status == 200


def test_it_revokes_all_of_a_person(operator: Client, desk: Desk, alice: Api, bob: Api) -> None:
    operator.post(f"/admin/accounts/membership/{desk.people['bob'].id}/tokens/", SURE)
    assert bob.get("/api/v1/tickets").code == "token_revoked"
    assert alice.get("/api/v1/tickets").status == 200


def test_it_revokes_chosen_tokens(operator: Client, desk: Desk, alice: Api, bob: Api) -> None:
    row = Token.objects.of(desk.org.id).get(membership=desk.people["bob"])
    values: dict[str, Any] = {"action": "revoke_chosen", "_selected_action": [str(row.id)]}
    asked = operator.post("/admin/accounts/token/", values).content.decode()
    assert "Revoke these tokens?" in asked
    assert bob.get("/api/v1/tickets").status == 200
    operator.post("/admin/accounts/token/", values | SURE)
    assert bob.get("/api/v1/tickets").code == "token_revoked"
    assert alice.get("/api/v1/tickets").status == 200


def test_a_secret_is_shown_to_nobody_else(operator: Client, desk: Desk) -> None:
    made = operator.post(f"/admin/accounts/connector/{desk.connector.id}/secret/")
    assert made.headers["Location"] == "/admin/secret/"
    other = User.objects.create_superuser("other@example.com", "correct horse")
    thief = _signed_in(other)
    thief.cookies["shown_once"] = made.cookies["shown_once"].value
    assert thief.get("/admin/secret/").status_code == 410
    assert operator.get("/admin/secret/").status_code == 200
    nobody = Client()
    nobody.cookies["shown_once"] = made.cookies["shown_once"].value
    assert nobody.get("/admin/secret/").status_code == 302
    operator.cookies["shown_once"] = "nonsense"
    assert operator.get("/admin/secret/").status_code == 410


def test_a_viewer_who_operates_acts_in_the_desks_name(desk: Desk, ticket: Ticket) -> None:
    carol = desk.people["carol"]
    assert carol.role == Role.VIEWER
    User.objects.filter(id=carol.user_id).update(is_staff=True, is_superuser=True)
    _signed_in(User.objects.get(id=carol.user_id)).post(f"{path_of(ticket)}/pause/")
    ticket.refresh_from_db()
    assert ticket.paused_by_id == desk.org.id
    assert not Note.objects.of(desk.org.id).exists()
    assert person_token_make(membership=carol, name="x", now=clock.now()).text
