"""An agent that was asked for something answers by several acts at once; none gets in the way."""

import threading

import pytest
from django.db import connection

from stuckbot.lib.models import Event
from tests.support import Api, Desk, file_ticket, make_package


@pytest.mark.django_db(transaction=True)
def test_handing_all_on_at_once_answers_a_stop_once(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    refs = [file_ticket(stuck)["ref"] for _ in range(4)]
    for ref in refs:
        solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    agent_id = solver.get("/api/v1/agents/me").ok()["agent"]["id"]
    bob.post(f"/api/v1/agents/{agent_id}/requests", {"kind": "stop"}).ok(201)
    told: list[int] = []
    start = threading.Barrier(len(refs))

    def hand_on(ref: str) -> None:
        try:
            start.wait(10)
            body = {"package": make_package(title="What is left of it")}
            told.append(Api(solver.token).post(f"/api/v1/tickets/{ref}/handoff", body).status)
        finally:
            connection.close()

    threads = [threading.Thread(target=hand_on, args=(ref,)) for ref in refs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [201] * len(refs)
    answered = Event.objects.of(desk.org.id).filter(type="request_acknowledged")
    assert answered.count() == 1
    assert solver.post("/api/v1/agents/me/heartbeat", {}).ok()["stop_requested"] is None
