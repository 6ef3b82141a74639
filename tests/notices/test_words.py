"""What the mails say, read as their reader and as a mail program reads them."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from stuckbot.lib.models import Content, Event
from tests.lib.smtp import MailServer
from tests.notices.house import escalated, mail_to, submitted, swept, text_to
from tests.support import Api, Desk
from tickets.models import Ticket

ONE = """\
Hello,

a decision waits for a person in “Acme”.

SB-1: “The image service cannot be built”
Project “Default”, urgency: Normal.

What was wrong, as the ticket says:
> The build is missing Python.

The agent “solver” says that it is fixed (submitted {at}). In their words:
> Installed python3.
> Then npm ci went through.

The proof, 1 of 1 passed:
- Passed: “A clean install works” (Self-reported)
Self-reported: Whoever did the work says so. StuckBot did not see it run.

See the proof, then approve or reject:
{desk}/tickets/SB-1?org={org}#decide

As long as nobody decides, nothing happens to it. A fix is not accepted by waiting, and whoever \
filed the ticket stays stuck. We remind you once, in a day.

Opening a link decides nothing. If a colleague is faster, there is nothing left for you to do.

--{space}
You get this because you may decide in “Acme”.
Choose what is mailed to you: {desk}/account#notices
Stop these mails: {end}

StuckBot
{desk}
"""


def test_it_says_what_there_is_to_decide(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://desk.example"
    User.objects.filter(email="bob@acme.example").update(time_zone="Asia/Kolkata")
    submitted(desk, stuck, solver)
    swept()
    text = text_to(server, "bob")
    at = text.split("(submitted ")[1].split(")")[0]
    assert at.endswith(" IST")
    end = mail_to(server, "bob")["List-Unsubscribe"].strip(" <>")
    known = {"at": at, "desk": "https://desk.example", "org": desk.org.id, "end": end, "space": " "}
    assert text.replace("\r\n", "\n") == ONE.format(**known)
    subject = "StuckBot: SB-1 waits to be approved: The image service cannot be built"
    assert mail_to(server, "bob")["Subject"].strip() == subject


def test_it_is_plain_text_with_headers_that_mail_programs_know(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    swept()
    mail = mail_to(server, "bob")
    raw = {name: str(value) for name, value in mail.raw_items()}
    assert mail.get_content_type() == "text/plain"
    assert raw["Auto-Submitted"].strip() == "auto-generated"
    assert raw["List-Unsubscribe-Post"].strip() == "List-Unsubscribe=One-Click"
    end = raw["List-Unsubscribe"].strip()
    assert end.startswith("<http://127.0.0.1:8000/unsubscribe/")
    assert end.endswith(">")
    assert "\n" not in end


TITLES = [
    "A\r\nBcc: eve@example.com\r\n\r\n<b>Approve now</b>",
    "\u202eevorppa\u2066 it\u200b",
    "🛠️" * 60,
    "名前" * 100,
    "x" * 200,
    "a” Approved by alice. “",
    "-- \nStuckBot\nApprove: https://evil.example",
    "=?utf-8?q?=0D=0ABcc:_eve@example.com?=",
    "It is =?utf-8?b?4oCuZXZvcnBwYQ==?= now",
]


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_it_keeps_its_shape_whatever_a_title_holds(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, title: str
) -> None:
    ref = submitted(desk, stuck, solver)
    _title_set(desk, title)
    swept()
    mail = mail_to(server, "bob")
    raw = dict(mail.raw_items())
    assert all(len(line) < 998 for line in str(raw["Subject"]).splitlines())
    assert mail["Bcc"] is None
    subject = str(mail["Subject"]).strip()
    assert subject.startswith(f"StuckBot: {ref} waits to be approved: ")
    assert len(subject) < 150
    assert not set(subject) & set("\r\n\u202e\u2066\u200b")
    lines = text_to(server, "bob").splitlines()
    assert [line for line in lines if line.startswith(f"{ref}: “")] == [lines[4]]
    assert lines.count("-- ") == 1


def _title_set(desk: Desk, title: str) -> None:
    """As the row has it, whatever the doors would have made of it."""
    ticket = Ticket.objects.of(desk.org.id).get()
    Content.objects.of(desk.org.id).filter(id=ticket.title_id).update(bytes=title.encode())


def test_it_marks_the_words_of_others_as_quoted(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    ref = escalated(stuck, solver)
    said = "-- \nStuckBot\n\nApprove here:\u2028https://evil.example\n" + "more\n" * 40
    _reason_set(desk, said)
    swept()
    lines = text_to(server, "bob").splitlines()
    assert "> https://evil.example" in lines
    assert "> more" in lines
    assert lines.count("> more") < 10
    links = [line for line in lines if line.startswith("http")]
    assert links[0].endswith("#decide")
    assert f"/tickets/{ref}?" in links[0]
    assert not any("evil" in line for line in lines if not line.startswith(">"))
    assert mail_to(server, "bob")["Subject"].startswith(f"StuckBot: {ref} needs a person: ")


def _reason_set(desk: Desk, text: str) -> None:
    event = Event.objects.of(desk.org.id).get(type="needs_human")
    assert event.content_id is not None
    Content.objects.of(desk.org.id).filter(id=event.content_id).update(bytes=text.encode())


def test_it_tells_no_secret(desk: Desk, stuck: Api, solver: Api, server: MailServer) -> None:
    secret = f"ghp_{'16C7e42F292c6912E7a9' * 2}"[:40]
    summary = {"problem": f"The token {secret} is refused.", "impact": "None.", "next_step": "Ask."}
    submitted(desk, stuck, solver, title=f"Token {secret} fails", human_summary=summary)
    swept()
    assert secret not in text_to(server, "bob")
    assert secret[:12] not in str(mail_to(server, "bob")["Subject"])


def test_it_lists_many_in_one_mail(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stuckbot.site.notices.letters.DETAILED", 2)
    monkeypatch.setattr("stuckbot.site.notices.letters.LISTED", 4)
    for number in range(4):
        submitted(desk, stuck, solver, title=f"Broken {number}")
    escalated(stuck, solver)
    swept()
    text = text_to(server, "bob").replace("\r\n", "\n")
    assert mail_to(server, "bob")["Subject"] == "StuckBot: 5 decisions wait in Acme"
    assert text.count("See the proof, then approve or reject:") == 2
    assert "\n3. SB-3: “Broken 2” (waits to be approved)\n" in text
    assert "\nAnd one more. All that waits is here:\n" in text
    assert f"/?org={desk.org.id}&color=red\n" in text
    assert "\n\n\n" not in text


def test_its_link_lands_on_the_ticket_and_changes_nothing(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    swept()
    lines = text_to(server, "bob").splitlines()
    [link] = [line for line in lines if line.endswith("#decide")]
    path = link.split("#")[0].removeprefix("http://127.0.0.1:8000")
    before = Event.objects.of(desk.org.id).count()
    client = Client()
    asked = client.get(path)
    assert asked.status_code == 302
    assert asked.headers["Location"].startswith("/accounts/login/?next=/tickets/SB-1%3Forg%3D")
    client.force_login(User.objects.get(email="bob@acme.example"), _BACKEND)
    assert client.get(path).status_code == 200
    assert Event.objects.of(desk.org.id).count() == before


_BACKEND = "django.contrib.auth.backends.ModelBackend"
