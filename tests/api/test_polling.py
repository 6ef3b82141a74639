"""The poll: nothing lost, nothing twice, never stale, and cheap while nothing happens."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stuckbot.lib import clock, ids, paging
from stuckbot.lib.models import Event, Inbox
from stuckbot.site.usecases import work
from tests.api.refusals import refused
from tests.support import Api, Desk, Reply, file_ticket, make_package
from tickets.models import Ticket
from tickets.offer_board import boards_forget

WORK = "/api/v1/work"


def heard(api: Api, cursor: str | None = None) -> dict[str, Any]:
    query = f"?cursor={cursor}" if cursor else ""
    return api.get(f"{WORK}{query}").ok()  # type: ignore[no-any-return]


def etag_of(api: Api) -> str:
    return api.get(WORK).header("ETag") or ""


def again(api: Api, etag: str) -> Reply:
    return api.get(WORK, if_none_match=etag)


# --- updates ---------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_each_reader_hears_all_of_its_own_once_and_in_order(desk: Desk, settings: Any) -> None:
    """Writers at random on tickets of three readers, who lose answers and ask again meanwhile."""
    settings.RATE_LIMIT = None
    readers = [desk.agent(f"reader {number}") for number in range(3)]
    for reader in readers:
        file_ticket(reader)
    over = threading.Event()
    listeners = [Listener(reader.token, over, seed) for seed, reader in enumerate(readers)]
    writers = [Writer(desk.agent(f"writer {seed}").token, seed) for seed in range(4)]
    for thread in (*listeners, *writers):
        thread.start()
    for writer in writers:
        writer.join()
    over.set()
    for listener in listeners:
        listener.join()
    tickets = Ticket.objects.of(desk.org.id).order_by("number")
    for listener, ticket in zip(listeners, tickets, strict=True):
        theirs = Event.objects.of(desk.org.id).filter(ticket_id=ticket.id)
        expected = list(theirs.exclude(actor_id=ticket.creator_id).order_by("seq"))
        assert listener.heard == [one.seq for one in expected]
        assert len(expected) >= 10


class Writer(threading.Thread):
    def __init__(self, token: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.api, self.chance = Api(token), random.Random(seed)

    def run(self) -> None:
        try:
            for number in range(24):
                ref = f"/api/v1/tickets/SB-{self.chance.randint(1, 3)}"
                act = self.chance.choice(["comments", "comments", "claim", "updates", "release"])
                body = {"body": f"word {number}"} if act in ("comments", "updates") else {}
                self.api.post(f"{ref}/{act}", body)
        finally:
            connection.close()


class Listener(threading.Thread):
    def __init__(self, token: str, over: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.api, self.over, self.chance = Api(token), over, random.Random(seed)
        self.heard: list[int] = []

    def run(self) -> None:
        cursor, last = None, False
        try:
            while not last:
                last = self.over.is_set()
                reply = self.api.get(f"{WORK}?cursor={cursor}" if cursor else WORK)
                if reply.status == 503 or self.chance.random() < 0.3:
                    last = False
                    continue  # the answer was lost
                told = reply.ok()
                self.heard += [one["id"] for one in told["updates"]]
                last = last and not told["updates"]
                cursor = told["next_cursor"]
        finally:
            connection.close()


def test_it_tells_two_hundred_at_most_and_goes_on(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    ticket = Ticket.objects.of(desk.org.id).get()
    now = clock.now()
    numbers = range(2, 452)
    Event.unscoped.bulk_create(
        Event(
            org_id=desk.org.id,
            seq=seq,
            ticket_id=ticket.id,
            type="comment_added",
            actor_id=desk.people["bob"].actor_id,
            at=now,
        )
        for seq in numbers
    )
    Inbox.unscoped.bulk_create(
        Inbox(org_id=desk.org.id, actor_id=ticket.creator_id, seq=seq) for seq in numbers
    )
    found, cursor, sizes = [], None, []
    for _ in range(4):
        told = heard(stuck, cursor)
        found += [one["id"] for one in told["updates"]]
        sizes.append(len(told["updates"]))
        cursor = told["next_cursor"]
    assert (found, sizes) == (list(numbers), [200, 200, 50, 0])


def test_the_one_it_is_kept_for_and_its_verifier_hear_of_it(
    desk: Desk, stuck: Api, racer: Api, bob: Api
) -> None:
    file_ticket(stuck)
    reserved = desk.agent("kept for")
    verifier = desk.agent("verifier", scopes=["verify", "tickets:read_project"])
    Ticket.objects.of(desk.org.id).update(
        reserved_for_id=id_of(reserved),
        verifier_id=id_of(verifier),
        verifier_until=clock.now() + timedelta(minutes=5),
    )
    racer.post("/api/v1/tickets/SB-1/comments", {"body": "Hello"}).ok(201)
    with time_machine.travel(clock.now() + timedelta(minutes=6)):
        bob.post("/api/v1/tickets/SB-1/comments", {"body": "Later"}).ok(201)
    assert [len(heard(one)["updates"]) for one in (reserved, verifier, racer)] == [2, 1, 0]


def id_of(api: Api) -> UUID:
    return UUID(api.get("/api/v1/agents/me").ok()["agent"]["id"])


# --- cursors ---------------------------------------------------------------------------------


def test_a_cursor_that_nobody_knows_starts_at_now(desk: Desk, stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    bob.post("/api/v1/tickets/SB-1/comments", {"body": "Before"}).ok(201)
    scope = desk.org.id.hex[-12:]
    strange = [
        paging.mark_make(ids.uuid7().hex[-12:], 1),
        paging.mark_make(scope, 10**17),
        paging.mark_make("", 0),
    ]
    told = [heard(stuck, cursor) for cursor in strange]
    assert [one["updates"] for one in told] == [[], [], []]
    bob.post("/api/v1/tickets/SB-1/comments", {"body": "After"}).ok(201)
    for one in told:
        updates = heard(stuck, one["next_cursor"])["updates"]
        assert [update["content"]["body"] for update in updates] == ["After"]


@pytest.mark.parametrize("cursor", ["x", "é", "%00", "MTI", "MTIz", "YTotMQ", "YTo5.."])
def test_a_cursor_that_cannot_be_read_is_refused(stuck: Api, cursor: str) -> None:
    refused(stuck.get(f"{WORK}?cursor={cursor}"), 422, "invalid_request")


# --- ETags -----------------------------------------------------------------------------------


def test_an_unchanged_poll_is_one_statement_with_tag_and_wait(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    etag = etag_of(solver)
    with CaptureQueriesContext(connection) as captured:
        reply = again(solver, etag)
    assert (reply.status, reply.header("ETag"), len(captured)) == (304, etag, 1)
    assert 5 <= int(reply.header("Retry-After") or 0) <= 60
    assert reply.response.content == b""


def test_the_tag_is_the_same_in_every_process(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    etag = etag_of(solver)
    with another_process():
        assert etag_of(solver) == etag
        assert again(solver, etag).status == 304


@contextmanager
def another_process() -> Iterator[None]:
    """What a process remembers is not there in another."""
    memos, work._memos = work._memos, type(work._memos)()
    boards_forget()
    yield
    work._memos = memos
    boards_forget()


def test_it_is_never_stale_in_a_process_that_remembers(stuck: Api, solver: Api, racer: Api) -> None:
    """Another process writes; this one must not answer from what it remembers."""
    for number in range(8):
        file_ticket(stuck)
        etag = etag_of(solver)
        with another_process():
            racer.post(f"/api/v1/tickets/SB-{number + 1}/claim", {}).ok()
        reply = again(solver, etag)
        assert f"SB-{number + 1}" not in [one["ref"] for one in reply.ok()["claimable"]]


@pytest.mark.parametrize("what", ["ticket", "projects", "org"])
def test_a_pause_and_its_end_change_the_tag(
    desk: Desk, stuck: Api, solver: Api, alice: Api, what: str
) -> None:
    file_ticket(stuck)
    path = {
        "ticket": "/api/v1/tickets/SB-1",
        "projects": f"/api/v1/projects/{desk.org.default_project_id}",
        "org": "/api/v1/org",
    }[what]
    first = etag_of(solver)
    alice.post(f"{path}/pause", {}).ok()
    paused = again(solver, first)
    assert paused.ok()["claimable"] == []
    alice.post(f"{path}/resume", {}).ok()
    assert [one["ref"] for one in again(solver, paused.header("ETag") or "").ok()["claimable"]] == [
        "SB-1"
    ]


def test_a_lease_that_runs_out_changes_the_tag(stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    etag = etag_of(racer)
    with time_machine.travel(clock.now() + timedelta(minutes=59)):
        assert again(racer, etag).status == 304
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        assert [one["ref"] for one in again(racer, etag).ok()["claimable"]] == ["SB-1"]


def test_a_renewal_keeps_the_tag(stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    etag = etag_of(racer)
    solver.post("/api/v1/tickets/SB-1/claim/renew").ok()
    assert again(racer, etag).status == 304


@pytest.mark.parametrize("kind", ["handoff", "stop"])
def test_a_request_and_its_end_change_the_tag(solver: Api, bob: Api, kind: str) -> None:
    first, path = etag_of(solver), f"/api/v1/agents/{id_of(solver)}/requests"
    bob.post(path, {"kind": kind}).ok(201)
    asked = again(solver, first)
    assert asked.ok()[f"{kind}_requested"]["reason"] == "person"
    assert again(solver, asked.header("ETag") or "").status == 304
    bob.call("DELETE", path).ok()
    assert again(solver, asked.header("ETag") or "").ok()[f"{kind}_requested"] is None
    assert etag_of(solver) == first


def test_the_wait_and_the_cursor_are_no_part_of_the_tag(stuck: Api, solver: Api, bob: Api) -> None:
    file_ticket(stuck)
    etag = etag_of(stuck)
    bob.post("/api/v1/tickets/SB-1/comments", {"body": "Hello"}).ok(201)
    reply = again(stuck, etag)
    cursor = reply.ok()["next_cursor"]
    # The update is read, so the answer is what it was before it.
    assert stuck.get(f"{WORK}?cursor={cursor}", if_none_match=etag).status == 304
    assert heard(stuck, cursor)["next_cursor"] == cursor


# --- waits -----------------------------------------------------------------------------------


def test_the_wait_grows_while_nothing_happens_and_falls_with_news(stuck: Api, solver: Api) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        etag = etag_of(solver)
        waits = []
        for seconds in (0, 29, 1, 90, 480, 3600):
            traveller.shift(timedelta(seconds=seconds))
            waits.append(int(again(solver, etag).header("Retry-After") or 0))
        assert waits == [5, 5, 10, 30, 60, 60]
        package = make_package()
        stuck.post("/api/v1/tickets", {"package": package}).ok(201)
        assert again(solver, etag).ok()["retry_after_seconds"] == 5
