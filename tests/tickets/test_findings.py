"""What was masked is kept with the ticket, told of, and never kept plain."""

import json
import string
from typing import Any

import pytest

from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import prepare
from stuckbot.lib.masking import Finding as Found
from stuckbot.lib.masking import mask_text
from stuckbot.lib.models import Content
from stuckbot.lib.unit import unit_of_work
from tests.support import Api, Desk, Reply, file_ticket, fresh_key, make_package, prove, resolve
from tickets.models import Criterion, Finding, Ticket
from tickets.services.findings import FINDINGS_MOST, findings_bounded

_ALPHABET = string.digits + string.ascii_letters


def token(number: int) -> str:
    """A GitHub token that is nobody's; another for another number."""
    mixed = "".join(_ALPHABET[(7 + place * 23 + number * (place + 5)) % 62] for place in range(36))
    return f"ghp_{mixed}"


SECRET = token(1)


def detail(api: Api, ref: str = "SB-1") -> Any:
    return api.get(f"/api/v1/tickets/{ref}").ok()["ticket"]


def places(api: Api, ref: str = "SB-1") -> list[str]:
    return [one["where"] for one in detail(api, ref)["findings"]]


def masked_events(api: Api, ref: str = "SB-1") -> list[Any]:
    events = api.get(f"/api/v1/tickets/{ref}/events").ok()["events"]
    return [one for one in events if one["type"] == "secret_masked"]


def test_it_keeps_what_was_masked_in_a_package(stuck: Api) -> None:
    context = {"errors": [f"remote: token {SECRET} rejected"]}
    ticket = file_ticket(stuck, context=context)
    (finding,) = ticket["findings"]
    assert set(finding) == {"id", "where", "kind", "preview", "at"}
    assert finding["where"] == "package.context.errors[0]"
    assert ticket["content"]["package"]["context"] == {
        "errors": ["remote: token [REDACTED] rejected"]
    }
    assert detail(stuck)["findings"] == ticket["findings"]
    assert SECRET not in json.dumps(detail(stuck))


def test_it_answers_and_remembers_a_create_without_the_secret(stuck: Api) -> None:
    body = {"package": make_package(objective=f"Use {SECRET}"), "blocked_reason": f"no {SECRET}"}
    key = fresh_key()
    first = stuck.post("/api/v1/tickets", body, idempotency_key=key).ok(201)
    again = stuck.post("/api/v1/tickets", body, idempotency_key=key).ok(201)
    assert again == first
    assert SECRET not in json.dumps(first)
    found = [one["where"] for one in first["ticket"]["findings"]]
    assert found == ["package.objective", "blocked_reason"]


def test_it_has_no_findings_without_a_secret(stuck: Api) -> None:
    assert file_ticket(stuck)["findings"] == []
    assert masked_events(stuck) == []
    assert Finding.unscoped.count() == 0


def _update(api: Api) -> Reply:
    body = {"body": f"I used {SECRET}", "progress": {"step": f"push {token(2)}"}}
    return api.post("/api/v1/tickets/SB-1/updates", body)


def _comment(api: Api) -> Reply:
    return api.post("/api/v1/tickets/SB-1/comments", {"body": SECRET})


def _proof(api: Api) -> Reply:
    return prove(api, "SB-1", output_excerpt=f"logged in with {SECRET}")


def _said(path: str, field: str) -> Any:
    return lambda api: api.post(f"/api/v1/tickets/SB-1/{path}", {field: f"see {SECRET}"})


def _submit(api: Api) -> Reply:
    prove(api, "SB-1").ok(201)
    body = {"stage": "blocker", "outcome": SECRET, "resolution": {"summary": token(2)}}
    return api.post("/api/v1/tickets/SB-1/submit", body)


WRITES = [
    (_update, ["update", "update.progress.step"]),
    (_comment, ["comment"]),
    (_proof, ["evidence.b1.output_excerpt"]),
    (_said("release", "note"), ["release.note"]),
    (_said("escalate", "reason"), ["escalate.reason"]),
    (_said("block", "reason"), ["blocked_reason"]),
    (_submit, ["resolution.outcome", "resolution.summary"]),
]


@pytest.mark.parametrize(("write", "wanted"), WRITES, ids=[places[0] for _, places in WRITES])
def test_it_keeps_what_a_holder_writes(
    stuck: Api, solver: Api, write: Any, wanted: list[str]
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    reply = write(solver)
    assert reply.status in (200, 201)
    assert SECRET not in reply.response.content.decode()
    assert sorted(places(stuck)) == sorted(wanted)
    assert SECRET not in json.dumps(detail(stuck))


def test_it_keeps_what_a_creator_says_on_leaving(stuck: Api) -> None:
    file_ticket(stuck)
    stuck.post("/api/v1/tickets/SB-1/withdraw", {"reason": SECRET}).ok()
    file_ticket(stuck)
    stuck.post("/api/v1/tickets/SB-2/close", {"outcome": SECRET}).ok()
    assert [places(stuck, "SB-1"), places(stuck, "SB-2")] == [
        ["withdraw.reason"],
        ["close.outcome"],
    ]


def test_it_keeps_what_a_person_says(stuck: Api, solver: Api, bob: Api) -> None:
    file_ticket(stuck)
    bob.post("/api/v1/tickets/SB-1/pause", {"reason": SECRET}).ok()
    bob.post("/api/v1/tickets/SB-1/resume").ok()
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": "Help"}).ok()
    bob.post("/api/v1/tickets/SB-1/send-back", {"note": SECRET}).ok()
    assert places(stuck) == ["pause.reason", "send_back.note"]


def test_it_tells_the_creator_and_wakes_no_writer(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    solver.post("/api/v1/tickets/SB-1/updates", {"body": f"{SECRET} and {token(2)}"}).ok(201)
    (event,) = masked_events(stuck)
    assert event["actor"]["kind"] == "system"
    assert event["data"]["count"] >= 1
    assert event["data"]["kinds"] == sorted({one["kind"] for one in detail(stuck)["findings"]})
    for api, times in ((stuck, 1), (solver, 0)):
        told = [one["type"] for one in api.get("/api/v1/work").ok()["updates"]]
        assert told.count("secret_masked") == times


def test_a_new_package_repeats_no_finding(stuck: Api) -> None:
    package = make_package(context={"errors": [f"token {SECRET}"]})
    stuck.post("/api/v1/tickets", {"package": package}).ok(201)
    package["objective"] = "Ship it all"
    stuck.post("/api/v1/tickets/SB-1/package", {"package": package}).ok()
    assert places(stuck) == ["package.context.errors[0]"]
    assert len(masked_events(stuck)) == 1
    package["constraints"] = f"only with {token(3)}"
    reply = stuck.post("/api/v1/tickets/SB-1/package", {"package": package}).ok()
    found = [one["where"] for one in reply["ticket"]["findings"]]
    assert found == ["package.context.errors[0]", "package.constraints"]


def test_a_refused_write_keeps_nothing(stuck: Api, racer: Api) -> None:
    file_ticket(stuck)
    reply = racer.post("/api/v1/tickets/SB-1/updates", {"body": SECRET})
    assert reply.code == "not_claim_holder"
    assert Finding.unscoped.count() == 0


def test_it_bounds_what_one_write_keeps(stuck: Api) -> None:
    lines = [f"line {number} {token(number)}" for number in range(150)]
    ticket = file_ticket(stuck, completed=lines, remaining=lines)
    found = ticket["findings"]
    assert len(found) == FINDINGS_MOST
    assert [one["where"] for one in found[:2]] == ["package.completed[0]", "package.completed[1]"]
    assert found[-1]["kind"] == "more"
    assert found[-1]["preview"] == "and 101 more like these"
    assert masked_events(stuck)[0]["data"]["count"] == 300


def test_it_bounds_to_the_most_exactly() -> None:
    found = [Found(f"package.completed[{n}]", "token", "…") for n in range(FINDINGS_MOST)]
    assert findings_bounded(found) == found
    assert findings_bounded([*found, found[0]]) == found
    assert (
        findings_bounded([*found, Found("x", "token", "…")])[-1].preview == "and 2 more like these"
    )


def test_a_write_that_forgets_them_does_not_commit(desk: Desk, stuck: Api) -> None:
    ticket = file_ticket(stuck)
    row = Ticket.unscoped.get(id=ticket["id"])
    caller = Caller(
        org_id=desk.org.id, id=row.creator_id, kind="agent", name="stuck", scopes=frozenset()
    )
    secret = prepare(
        org_id=desk.org.id, kind="x", body=mask_text(SECRET), root_id=row.id, about=row.id
    )
    before = Content.unscoped.count()
    with pytest.raises(LookupError), unit_of_work(caller, clock.now()) as unit:
        unit.store(secret)
    assert Content.unscoped.count() == before


def test_numbers_and_codes_stay_whatever_stands_beside_them(stuck: Api) -> None:
    sent = {
        "budget_spent": {"password": 12, "tokens": 4.5, f"x {SECRET}": 3},
        "data_refs": [
            {"store": "main", "object": "sha256:" + "ab" * 32, "kind": "file", "name": SECRET}
        ],
        "schema_version": "1",
    }
    package = file_ticket(stuck, **sent)["content"]["package"]
    spent = package["budget_spent"]
    assert list(spent.values()) == [12, 4.5, 3]
    assert list(spent)[:2] == ["password", "tokens"]
    assert package["data_refs"][0]["object"] == "sha256:" + "ab" * 32
    assert SECRET not in json.dumps(package)


def test_an_agents_usage_stays_numbers(stuck: Api) -> None:
    usage = {"tokens": 12, "password": 3, "api_key": 0.5}
    stuck.post("/api/v1/agents/me/heartbeat", {"usage": usage}).ok()


def test_the_rows_of_criteria_are_those_of_the_package(stuck: Api) -> None:
    criteria = [
        {"description": "d", "method": "command", "command": f"deploy {SECRET}", "expected": "0"},
        {
            "description": f"with {SECRET}",
            "method": "log_match",
            "pattern": f"{SECRET} ok",
            "expected": SECRET,
        },
        {
            "description": "d",
            "method": "external_check",
            "url": f"https://x:{SECRET}@h.example/",
            "expected": "200",
        },
    ]
    package = file_ticket(stuck, blocker_criteria=criteria)["content"]["package"]
    for row in Criterion.unscoped.order_by("position"):
        stored = package["blocker_criteria"][row.position]
        for name in ("command", "pattern", "url", "expected"):
            assert (getattr(row, name) or None) == stored.get(name)
    assert SECRET not in json.dumps(package)
    # What is shown can be sent back as it is.
    stuck.post("/api/v1/tickets/SB-1/package", {"package": package}).ok()


def test_a_masked_package_can_be_completed_once_work_began(stuck: Api, solver: Api) -> None:
    command = f"deploy --key {SECRET}"
    criterion = {"description": "d", "method": "command", "command": command, "expected": "0"}
    raw = make_package(blocker_criteria=[criterion])
    shown = stuck.post("/api/v1/tickets", {"package": raw}).ok(201)["ticket"]["content"]["package"]
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    for package in (raw, shown):
        solver.post("/api/v1/tickets/SB-1/package", {"package": package}).ok()


def test_finding_nothing_costs_nothing(stuck: Api, django_assert_max_num_queries: Any) -> None:
    file_ticket(stuck)
    body = {"body": "plain"}
    with django_assert_max_num_queries(100) as captured:
        stuck.post("/api/v1/tickets/SB-1/comments", body).ok(201)
    assert not any("tickets_finding" in one["sql"] for one in captured.captured_queries)
    with django_assert_max_num_queries(100) as captured:
        stuck.post("/api/v1/tickets/SB-1/comments", {"body": SECRET}).ok(201)
    asked = [one["sql"] for one in captured.captured_queries if "tickets_finding" in one["sql"]]
    assert [one.split()[0] for one in asked] == ["INSERT"]
    package = {"package": make_package(objective=SECRET)}
    with django_assert_max_num_queries(100) as captured:
        stuck.post("/api/v1/tickets", package).ok(201)
    asked = [one["sql"] for one in captured.captured_queries if "tickets_finding" in one["sql"]]
    assert [one.split()[0] for one in asked] == ["INSERT"]


def test_a_closed_ticket_keeps_its_findings(stuck: Api, solver: Api) -> None:
    file_ticket(stuck, objective=f"Ship {SECRET}")
    resolve(solver, "SB-1")
    assert places(solver) == ["package.objective"]
