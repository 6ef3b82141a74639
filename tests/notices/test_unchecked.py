"""The mail that asks for an approval says what the desk could not check, and why."""

from stuckbot.lib.outgoing import Refused
from tests.lib.smtp import MailServer
from tests.notices.house import swept, text_to
from tests.pages.test_url_checks import CHECK, report, submit, tries
from tests.support import Api, Desk, file_ticket


def test_it_says_why_a_person_has_to_look(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    file_ticket(stuck, blocker_criteria=[CHECK])
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    report(solver)
    submit(solver)
    tries(desk, Refused("not_public"))
    swept()
    text = text_to(server, "bob").replace("\r\n", "\n")
    assert (
        "The proof, 0 of 1 passed:\n"
        "- Could not be checked: “The status page answers”\n"
        "  StuckBot could not open “status.example.com”: not public. Look at it yourself.\n"
    ) in text
    assert "Checked by StuckBot" not in text
    assert "https://status.example.com" not in text, "no address of others stands in a mail"
