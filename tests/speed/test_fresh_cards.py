"""What filing answers is made from what was written; it must be what reading answers."""

from tests.support import TAKEOVER, Api, Desk, make_package


def test_it_answers_a_create_as_a_read_would(desk: Desk, stuck: Api) -> None:
    package = make_package(
        labels=["node", "build"], required_skills=["docker"], urgency=8, **TAKEOVER
    )
    body = {
        "package": package,
        "blocked_reason": "Waits for the base image",
        "assignee": str(desk.people["alice"].actor_id),
    }
    filed = stuck.post("/api/v1/tickets", body).ok(201)["ticket"]
    assert filed == stuck.get(f"/api/v1/tickets/{filed['id']}").ok()["ticket"]


def test_it_answers_a_plain_create_as_a_read_would(stuck: Api) -> None:
    filed = stuck.post("/api/v1/tickets", {"package": make_package()}).ok(201)["ticket"]
    assert filed == stuck.get(f"/api/v1/tickets/{filed['id']}").ok()["ticket"]
