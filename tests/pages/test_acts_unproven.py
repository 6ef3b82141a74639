"""What a person hears who submits too early, or does what is another's to do."""

import html
import re
from typing import Any

from tests.matrix.scene import Scene
from tests.pages.acting import done, page_of, send, signed_in
from tests.support import Desk, file_ticket, make_package
from tickets.models import Criterion


def told(response: Any) -> str:
    """What the page says of the refusal, as it is read."""
    found = re.search(
        r'role="alert".*?<strong>(.*?)</strong>', response.content.decode(), re.DOTALL
    )
    assert found is not None
    return html.unescape(re.sub(r"<[^>]+>", "", found[1]))


def taken(desk: Desk, checks: int = 1, description: str = "A clean install works") -> None:
    """A ticket that bob has taken."""
    row = make_package()["blocker_criteria"][0] | {"description": description}
    rows = [row | {"description": f"{description} {n}"} for n in range(2, checks + 1)]
    file_ticket(desk.agent("stuck"), blocker_criteria=[row, *rows])
    done(send(signed_in(desk, "bob"), "SB-1", "claim"))


def test_it_names_the_check_without_proof_in_words(desk: Desk) -> None:
    taken(desk)
    client = signed_in(desk, "bob")
    response = send(client, "SB-1", "submit", outcome="Mended.")
    assert response.status_code == 422
    assert told(response) == "No proof yet: “A clean install works”."
    assert "Mended." in response.content.decode()


def test_it_names_the_check_whose_proof_fails(desk: Desk) -> None:
    taken(desk)
    client = signed_in(desk, "bob")
    failed = {"command": Criterion.objects.of(desk.org.id).get().command, "exit_code": "1"}
    done(send(client, "SB-1", "evidence", criterion="b1", **failed))
    response = send(client, "SB-1", "submit", outcome="")
    assert told(response) == "Proof does not pass: “A clean install works”."


def test_of_many_checks_it_names_a_few_and_shortly(desk: Desk) -> None:
    taken(desk, 5, "Long " * 60)
    words = told(send(signed_in(desk, "bob"), "SB-1", "submit", outcome=""))
    assert words.endswith("…”, 2 more.")
    assert words.count("“") == 3
    assert len(words) < 400


def test_hidden_characters_of_a_check_are_shown(desk: Desk) -> None:
    taken(desk, description="A clean \u202einstall<b>")
    page = send(signed_in(desk, "bob"), "SB-1", "submit", outcome="").content.decode()
    assert "\u202e" not in page
    assert "<b>" not in page
    assert "U+202E" in page


def test_only_who_filed_it_takes_it_back_and_that_is_said(desk: Desk) -> None:
    Scene(desk, desk.agent("stuck"), desk.agent("solver"), "blocker_only")
    response = send(signed_in(desk, "bob"), "SB-1", "withdraw", reason="")
    assert response.status_code == 403
    assert told(response) == "Only its creator can withdraw SB-1."


def test_an_act_on_a_closed_ticket_leads_back_to_the_archive(desk: Desk) -> None:
    scene = Scene(desk, desk.agent("stuck"), desk.agent("solver"), "blocker_only")
    scene.reach("closed")
    page = page_of(signed_in(desk, "bob"), "/tickets/SB-1/explain")
    assert '<p class="crumbs"><a href="/archive">Archive</a>' in page
