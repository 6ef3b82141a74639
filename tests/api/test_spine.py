"""The main job, by literal paths: filed, found, claimed, proved, resolved."""

from tests.support import TAKEOVER, Api, Desk, file_ticket, make_package, prove, resolve


def test_it_resolves_a_blocker(desk: Desk, stuck: Api, solver: Api, racer: Api) -> None:
    ticket = file_ticket(stuck)
    assert (ticket["ref"], ticket["state"], ticket["status_color"]) == ("SB-1", "open", "ORANGE")
    assert ticket["content"]["package"]["blocker_criteria"][0]["key"] == "b1"

    work = solver.get("/api/v1/work").ok()
    assert [one["ref"] for one in work["claimable"]] == ["SB-1"]
    assert work["claimable"][0]["work"] == "claim"

    claimed = solver.post("/api/v1/tickets/SB-1/claim", {"execution_target": "external"}).ok()
    assert claimed["ticket"]["state"] == "claimed"
    assert claimed["ticket"]["claim"]["holder"]["name"] == "solver"
    assert racer.post("/api/v1/tickets/SB-1/claim", {}).code == "already_claimed"

    update = solver.post("/api/v1/tickets/SB-1/updates", {"body": "Looking at it"}).ok(201)
    assert update["ticket"]["state"] == "working"

    wrong = prove(solver, "SB-1", command="npm install")
    assert (wrong.status, wrong.details) == (422, {"expected_command": "npm ci"})
    early = solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"})
    assert (early.status, early.details) == (422, {"missing": ["b1"], "failing": []})
    prove(solver, "SB-1", exit_code=1).ok(201)
    failing = solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"})
    assert failing.details == {"missing": [], "failing": ["b1"]}
    evidence = prove(solver, "SB-1").ok(201)["evidence"]
    assert (evidence["result"], evidence["trust_label"]) == ("pass", "self_reported")

    done = solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()
    assert (done["ticket"]["state"], done["ticket"]["status_color"]) == (
        "blocker_resolved",
        "GREEN",
    )
    assert done["verification"]["assurance"] == "self_reported"
    heard = [one["type"] for one in stuck.get("/api/v1/work").ok()["updates"]]
    assert heard == [
        "ticket_claimed",
        "update_posted",
        "evidence_added",
        "evidence_added",
        "stage_submitted",
        "stage_approved",
    ]


def test_it_finishes_a_task(stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck, **TAKEOVER)
    assert resolve(solver, "SB-1")["closed_at"] is None
    offered = racer.get("/api/v1/work").ok()["claimable"]
    assert [(one["ref"], one["work"]) for one in offered] == [("SB-1", "continue")]
    racer.post("/api/v1/tickets/SB-1/continue").ok()
    shown = {
        one["key"]: one["status"]
        for one in racer.get("/api/v1/tickets/SB-1").ok()["ticket"]["criteria"]
    }
    assert shown == {"b1": "passed", "t1": "missing"}
    body = {"runner": "pytest", "passed": 3, "failed": 0}
    racer.post(
        "/api/v1/tickets/SB-1/evidence",
        {"criterion": "t1", "type": "test_report", "payload": body},
    ).ok(201)
    done = racer.post("/api/v1/tickets/SB-1/submit", {"stage": "task"}).ok()
    assert done["ticket"]["state"] == "completed"


def test_it_answers_an_unchanged_poll_with_304(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    first = solver.get("/api/v1/work")
    etag = first.header("ETag") or ""
    again = solver.get("/api/v1/work", if_none_match=etag)
    assert (again.status, again.header("ETag")) == (304, etag)
    assert again.header("Retry-After") is not None
    file_ticket(stuck, title="Another one")
    assert solver.get("/api/v1/work", if_none_match=etag).status == 200


def test_it_replays_a_create(stuck: Api) -> None:
    body = {"package": make_package()}
    first = stuck.post("/api/v1/tickets", body, idempotency_key="k1")
    again = stuck.post("/api/v1/tickets", body, idempotency_key="k1")
    assert first.ok(201) == again.ok(201)
    assert again.header("Idempotent-Replayed") == "true"
    other = stuck.post(
        "/api/v1/tickets", {"package": make_package(title="Other")}, idempotency_key="k1"
    )
    assert (other.status, other.code) == (422, "idempotency_key_reused")
    assert len(stuck.get("/api/v1/tickets").ok()["tickets"]) == 1
