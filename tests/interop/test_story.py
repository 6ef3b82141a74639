"""Agents that use the public client, unmodified, each program in a process of its own."""

from tests.interop.server import Server
from tests.support import TAKEOVER, make_package


def test_it_resolves_a_blocker_between_agents(server: Server) -> None:
    package = make_package(labels=["story"])
    told = server.run("story.blocker", package=package, label="story")
    filed = told["filed"]
    assert (filed["state"], filed["status_color"]) == ("open", "ORANGE")
    assert told["found"] == ["claim", filed["id"]]
    assert (told["claimed"], told["working"], told["after"]) == (
        "claimed",
        "working",
        "blocker_resolved",
    )
    assert told["lost"] == [409, "already_claimed"]
    assert told["refused"]["status"] == 422
    assert told["refused"]["details"] == {"expected_command": "npm ci"}
    verification = told["submitted"]["verification"]
    assert (verification["state"], verification["assurance"]) == ("approved", "self_reported")
    assert [event["type"] for event in told["heard"]] == [
        "ticket_claimed",
        "update_posted",
        "evidence_added",
        "stage_submitted",
        "stage_approved",
    ]
    ids = [event["id"] for event in told["heard"]]
    assert ids == sorted(set(ids))
    assert (told["seen"]["state"], told["seen"]["status_color"]) == ("blocker_resolved", "GREEN")


def test_it_lets_another_agent_take_the_task_over(server: Server) -> None:
    package = make_package(labels=["takeover"], **TAKEOVER)
    told = server.run("story.takeover", package=package, label="takeover")
    assert told == {
        "resolved": "blocker_resolved",
        "found": "continue",
        "continuing": "continuing",
        "ended": "completed",
        "second": [409, "invalid_transition"],
    }
