"""Tickets that look like the same problem, at filing and on the page."""

from typing import Any

import pytest

from accounts.services.orgs import project_make
from stuckbot.lib import clock
from stuckbot.site.search.reading import search_read
from tests.matrix.scene import approval
from tests.pages.acting import page_of, signed_in
from tests.search.indexed import read
from tests.search.problems import Problem, others, pairs
from tests.support import Api, Desk, make_package, resolve
from tickets.models import SearchLike, Ticket
from tickets.search.fingerprint import fingerprint_of
from tickets.search.index import search_forget

PAIR = pairs("pairs.txt")[2]
WORKED: dict[str, Any] = {
    "outcome": "The DNS provider answers again",
    "resolution": {"commit": "4f2e1c9"},
}


def _file(api: Api, problem: Problem, **changes: Any) -> Any:
    """The whole answer to filing."""
    body = {"package": make_package(**problem.package, **changes)}
    return api.post("/api/v1/tickets", body).ok(201)


def _crowd(desk: Desk, api: Api, count: int = 30) -> None:
    """Other problems, so that words are rare or not."""
    for one in others()[:count]:
        _file(api, one)
    read(desk)


def test_it_names_what_looks_alike_and_the_answer_that_worked(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    assert _file(stuck, PAIR[0])["similar"] == []
    _crowd(desk, stuck)
    answer = _file(racer, PAIR[1])
    assert (answer["similar"], answer["similar_solved"]) == (["SB-1"], [])
    resolve(solver, "SB-1", **WORKED)
    answer = _file(racer, PAIR[1])
    assert answer["similar"] == ["SB-1", answer["similar"][1]]
    (solved,) = answer["similar_solved"]
    assert solved["content"] == {"title": PAIR[0].title, **WORKED}
    assert (solved["ref"], solved["state"]) == ("SB-1", "blocker_resolved")
    assert solved["assurance"] == "self_reported"
    assert solved["solved_at"] <= clock.wire(clock.now())


def test_the_same_words_are_found_before_the_index_has_them(stuck: Api, racer: Api) -> None:
    said = Problem("Build 4711 fails", "Host 10.0.0.7 is away since 12:01:33", "at /srv/a/x.py:3")
    again = Problem("Build 4712 fails", "Host 10.0.0.9 is away since 13:44:02", "at /opt/b.py:77")
    assert _file(stuck, said)["similar"] == []
    assert _file(racer, again)["similar"] == ["SB-1"]
    other = Problem("Build 4712 fails", "Nobody knows", "none")
    assert _file(racer, other)["similar"] == []


def test_a_replayed_filing_says_the_same(desk: Desk, stuck: Api) -> None:
    _file(stuck, PAIR[0])
    body = {"package": make_package(**PAIR[0].package)}
    first = stuck.post("/api/v1/tickets", body, idempotency_key="k").ok(201)
    again = stuck.post("/api/v1/tickets", body, idempotency_key="k").ok(201)
    assert first == again
    assert first["similar"] == ["SB-1"]


def test_it_tells_only_of_what_the_caller_reads(
    desk: Desk, other: Desk, stuck: Api, mallory: Api
) -> None:
    blind = desk.agent("blind", scopes=["tickets:create"])
    _file(stuck, PAIR[0])
    _crowd(desk, stuck)
    _file(mallory, PAIR[0])
    read(other)
    assert _file(blind, PAIR[1])["similar"] == []
    assert _file(blind, PAIR[1])["similar"] == [f"SB-{1 + 30 + 1}"]
    assert _file(mallory, PAIR[0])["similar"] == ["SB-1"]


def test_five_at_most_the_solved_ones_first(desk: Desk, stuck: Api, solver: Api) -> None:
    for _ in range(7):
        _file(stuck, PAIR[0])
    resolve(solver, "SB-2")
    answer = _file(stuck, PAIR[0])
    assert answer["similar"] == ["SB-2", "SB-7", "SB-6", "SB-5", "SB-4"]
    assert answer["similar_solved"][0]["content"]["outcome"] is None
    stuck.post("/api/v1/tickets/SB-2/reopen").ok()
    assert _file(stuck, PAIR[0])["similar_solved"] == []


def test_a_fix_that_waits_for_a_decision_is_not_solved(desk: Desk, stuck: Api, solver: Api) -> None:
    approval(desk, "person")  # type: ignore[arg-type]
    _file(stuck, PAIR[0])
    resolve(solver, "SB-1", **WORKED)
    assert _file(stuck, PAIR[0])["similar_solved"] == []


def test_the_page_says_that_it_was_solved_before(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    _file(stuck, PAIR[0])
    _crowd(desk, stuck)
    resolve(solver, "SB-1", **WORKED)
    read(desk)
    ref = _file(racer, PAIR[1])["ticket"]["ref"]
    client = signed_in(desk, "carol")
    assert "Solved before" not in page_of(client, f"/tickets/{ref}")
    read(desk)
    page = page_of(client, f"/tickets/{ref}")
    assert page.index("Solved before") < page.index("Proof")
    assert 'href="/tickets/SB-1' in page
    assert WORKED["outcome"] in page
    # The other way round there is nothing that was solved.
    assert "Solved before" not in page_of(client, "/tickets/SB-1")


def test_the_page_names_no_ticket_of_its_own_chain_as_another(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    _file(stuck, PAIR[0])
    _crowd(desk, stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    handed = {"package": make_package(**PAIR[1].package)}
    child = solver.post("/api/v1/tickets/SB-1/handoff", handed).ok(201)["child"]["ref"]
    resolve(racer, child, **WORKED)
    read(desk)
    page = page_of(signed_in(desk, "carol"), "/tickets/SB-1")
    assert f"/tickets/{child}" in page
    assert "Solved before" not in page


def test_what_is_forgotten_looks_like_nothing(desk: Desk, stuck: Api, racer: Api) -> None:
    filed = _file(stuck, PAIR[0])["ticket"]
    _crowd(desk, stuck)
    _file(racer, PAIR[1])
    read(desk)
    assert SearchLike.objects.of(desk.org.id).filter(ticket_id=filed["id"]).exists()
    row = Ticket.objects.of(desk.org.id).get(id=filed["id"])
    search_forget(row.id, row.org_id)
    assert not SearchLike.objects.of(desk.org.id).filter(other_id=row.id).exists()
    assert not SearchLike.objects.of(desk.org.id).filter(ticket_id=row.id).exists()


def test_a_package_that_is_changed_is_another_problem(desk: Desk, stuck: Api) -> None:
    filed = _file(stuck, PAIR[0])["ticket"]
    before = Ticket.objects.of(desk.org.id).get(id=filed["id"]).fingerprint
    changed = make_package(**PAIR[1].package)
    stuck.post("/api/v1/tickets/SB-1/package", {"package": changed}).ok()
    after = Ticket.objects.of(desk.org.id).get(id=filed["id"]).fingerprint
    assert (len(before), before == after) == (64, False)
    assert after == fingerprint_of(PAIR[1].package)


def test_a_dry_run_tells_of_it_too(desk: Desk, stuck: Api) -> None:
    _file(stuck, PAIR[0])
    body = {"package": make_package(**PAIR[0].package)}
    told = stuck.post("/api/v1/packages/check", body).ok()
    assert told["similar"] == ["SB-1"]
    body["package"]["mode"] = "nonsense"
    assert stuck.post("/api/v1/packages/check", body).ok()["similar"] == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Fails at 12:01", "fails at 13:59", True),
        ("sha 4f2e1c9aa is bad", "SHA deadbeef00 is bad", True),
        ("read /a/b/c failed", "read C:\\x\\y failed", True),
        ("0198c0de-aaaa-7bbb-8ccc-0123456789ab gone", "gone", True),
        ("SB-12 again", "SB-9 again", True),
        ("DNS fails", "TLS fails", False),
        ("a b", "b a", False),
    ],
)
def test_a_fingerprint_leaves_out_what_changes(one: str, other: str, same: bool) -> None:
    found = [fingerprint_of({"title": text}) for text in (one, other)]
    assert (found[0] == found[1]) is same


def test_a_package_that_says_nothing_has_no_fingerprint() -> None:
    assert fingerprint_of({}) == fingerprint_of({"title": "12:01 4711"}) == ""


def test_reading_again_leaves_pairs_as_they_are(desk: Desk, stuck: Api, racer: Api) -> None:
    _file(stuck, PAIR[0])
    _crowd(desk, stuck)
    _file(racer, PAIR[1])
    read(desk)
    first = set(SearchLike.objects.of(desk.org.id).values_list("ticket_id", "other_id"))
    racer.post("/api/v1/tickets/SB-32/comments", {"body": "x"}).ok(201)
    racer.post("/api/v1/tickets/SB-32/withdraw", {}).ok()
    search_read(desk.org.id, desk.org.id, clock.now())
    assert set(SearchLike.objects.of(desk.org.id).values_list("ticket_id", "other_id")) == first


def test_what_one_may_not_read_takes_no_place_from_what_one_may(
    settings: Any, desk: Desk, stuck: Api
) -> None:
    settings.RATE_LIMIT = settings.RATE_LIMIT_BURST = 1_000_000
    hidden = project_make(org=desk.org, name="Hidden", now=clock.now())
    mine = str(desk.org.default_project_id)
    narrow = desk.agent("narrow", project_ids=[mine])
    body = {"package": make_package(**PAIR[0].package), "project_id": mine}
    own = stuck.post("/api/v1/tickets", body).ok(201)["ticket"]["ref"]
    for one in others()[:20]:
        _file(stuck, one)
    for _ in range(30):
        stuck.post("/api/v1/tickets", {**body, "project_id": str(hidden.id)}).ok(201)
    read(desk)
    turned = " ".join(PAIR[0].title.split()[::-1])  # the same words are another fingerprint then
    for title in (PAIR[0].title, turned):
        changes = {**PAIR[0].package, "title": title}
        tried = {"package": make_package(**changes), "project_id": mine}
        assert own in narrow.post("/api/v1/tickets", tried).ok(201)["similar"]
