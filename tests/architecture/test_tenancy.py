"""Nothing of one org points into another, and no query forgets to say whose rows it wants."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from accounts.models import Notice
from accounts.selectors import caller_of_membership
from accounts.services.invitations import invitation_join, invitation_send
from accounts.services.orgs import direct_key_make, system_caller
from accounts.states import SCOPES, Role
from policy.models import Policy
from stuckbot.lib import clock, ids
from stuckbot.lib.models import Mail, Timer
from stuckbot.lib.same_org import LINKS, constraint_name
from stuckbot.lib.sealing import text_open
from stuckbot.lib.tenancy import OrgOwned, UnscopedQuery
from stuckbot.site.tasks import sweep
from tests.checks.bench import FINE, Opened, opened
from tests.support import TAKEOVER, Api, Desk, file_ticket, resolve
from tests.verification.reviewing import Review
from tickets.models import Ticket
from verification.models import Evidence, Verification

#: What a table points at by id alone, without a foreign key: (table, column, table pointed at).
SOFT_LINKS = (
    ("core_content", "root_id", "tickets_ticket"),
    ("core_event", "ticket_id", "tickets_ticket"),
    ("core_event", "actor_id", "accounts_actor"),
    ("core_event", "content_id", "core_content"),
    ("core_event", "answer_id", "core_content"),
    ("core_inbox", "actor_id", "accounts_actor"),
    ("core_pace", "actor_id", "accounts_actor"),
    ("core_idempotency", "caller_id", "accounts_actor"),
    ("core_audit", "actor_id", "accounts_actor"),
    ("accounts_agent", "status_content_id", "core_content"),
    ("accounts_notice", "ticket_id", "tickets_ticket"),
    ("accounts_notice", "verification_id", "verification_verification"),
    ("tickets_ticket", "root_id", "tickets_ticket"),
)
OWNED = [model for model in apps.get_models() if issubclass(model, OrgOwned)]


def _has_org(model: type[models.Model]) -> bool:
    return any(field.attname == "org_id" for field in model._meta.concrete_fields)


def _foreign_keys() -> Iterator[tuple[str, str, str]]:
    for model in OWNED:
        for field in model._meta.concrete_fields:
            target = field.related_model
            if isinstance(target, type) and _has_org(target):
                yield model._meta.db_table, field.attname, target._meta.db_table


def test_it_ties_every_foreign_key_to_the_org() -> None:
    assert sorted(LINKS) == sorted(_foreign_keys())
    names = [constraint_name(table, column) for table, column, _ in LINKS]
    assert len(set(names)) == len(names)


def test_every_table_with_an_org_is_guarded() -> None:
    with_org = {model for model in apps.get_models() if _has_org(model)}
    assert with_org == set(OWNED)


@pytest.mark.parametrize("model", OWNED, ids=lambda model: model.__name__)
def test_it_refuses_a_query_without_an_org(model: Any) -> None:
    manager = model.objects
    for query in (manager.all, manager.filter, manager.exclude, manager.count, manager.first):
        with pytest.raises(UnscopedQuery):
            query()
    with pytest.raises(UnscopedQuery):
        manager.get(pk=uuid4())
    with pytest.raises(UnscopedQuery):
        manager.create()
    assert "org_id" in str(manager.of(uuid4()).query)


def _busy(desk: Desk, prefix: str) -> None:
    """A bit of everything that writes rows."""
    stuck, solver, racer = (desk.agent(f"{prefix}{name}") for name in ("stuck", "solver", "racer"))
    person = desk.person(next(iter(desk.people)))
    direct_key_make(
        actor=system_caller(desk.org.id), org=desk.org, name="d", scopes=SCOPES, now=clock.now()
    )
    desk.agent("child", parent_agent_id=solver.get("/api/v1/agents/me").ok()["agent"]["id"])
    me = {"assignee": str(next(iter(desk.people.values())).actor_id), "blocked_reason": "Wait"}
    filed = file_ticket(stuck, labels=["a"], required_skills=["b"], **TAKEOVER)["ref"]
    body = {"package": filed_package(stuck, filed), **me}
    stuck.post("/api/v1/tickets", body, idempotency_key="k").ok(201)
    held = file_ticket(stuck)["ref"]
    racer.post(f"/api/v1/tickets/{held}/claim").ok()
    resolve(solver, filed, outcome="Done")
    racer.post(f"/api/v1/tickets/{filed}/continue").ok()
    racer.post(f"/api/v1/tickets/{filed}/updates", {"body": "x"}).ok(201)
    racer.post(f"/api/v1/tickets/{filed}/release", {"note": "no"}).ok()
    masked = f"ghp_{'16C7e42F292c6912E7a9' * 2}"[:40]
    person.post(f"/api/v1/tickets/{filed}/comments", {"body": masked}).ok(201)
    handed = {"package": filed_package(stuck, filed), "reason": "full"}
    handed["for_agent"] = solver.get("/api/v1/agents/me").ok()["agent"]["id"]
    racer.post(f"/api/v1/tickets/{held}/handoff", handed).ok(201)
    racer.post(f"/api/v1/tickets/{file_ticket(stuck)['ref']}/claim").ok()
    person.post(f"/api/v1/tickets/{filed}/pause", {"reason": "x"}).ok()
    person.post("/api/v1/org/pause").ok()
    person.post("/api/v1/org/resume").ok()
    solver.post("/api/v1/agents/me/heartbeat", {"status": "fine"}).ok()
    solver.post("/api/v1/signals", {"type": "self_report", "details": {"a": 1}}).ok(201)
    asked = solver.get("/api/v1/agents/me").ok()["agent"]["id"]
    person.post(f"/api/v1/agents/{asked}/requests", {"kind": "stop", "message": "x"}).ok(201)
    fresh = solver.post("/api/v1/agents/me/token", idempotency_key="t").ok()["token"]
    Api(fresh).post("/api/v1/agents/me/retire").ok()
    _invite(desk, f"{prefix}@example.com")
    _verified(desk)
    _opened(desk)
    Policy.unscoped.create(org=desk.org, project=desk.org.default_project, lease_minutes=30)
    _told(desk)
    person.post(f"/api/v1/projects/{desk.org.default_project_id}/pause", {"reason": "x"}).ok()
    sweep()


def _verified(desk: Desk) -> None:
    """A stage that the org's own verifier approved, with a key that was revoked since."""
    review = Review(desk)
    review.decide(review.item()).ok()
    review.key_revoke()


def _opened(desk: Desk) -> None:
    """A url that the desk has opened."""
    looked = Opened(desk, desk.agent("asks"), desk.agent("mends"))
    looked.begin()
    looked.report()
    opened(FINE)


def _told(desk: Desk) -> None:
    member = next(iter(desk.people.values()))
    ticket = Ticket.objects.of(desk.org.id).earliest("number")
    # An event's number that the other org has not, so that the org alone is what does not fit.
    seq = desk.org.id.int % 10**9
    told = {"seq": seq, "ticket_id": ticket.id, "created_at": clock.now()}
    Notice.unscoped.create(org=desk.org, membership=member, **told)


def _invite(desk: Desk, email: str) -> None:
    """An invitation that was mailed and accepted."""
    owner = caller_of_membership(next(iter(desk.people.values())))
    now = clock.now()
    invitation_send(actor=owner, email=email, role=Role.VIEWER, now=now)
    token = text_open(Mail.objects.latest("created_at").letter).split("/join/")[1].split()[0]
    invitation_join(token=token, name="Guest", password="correct horse", now=now)


def filed_package(api: Api, ref: str) -> Any:
    return api.get(f"/api/v1/tickets/{ref}").ok()["ticket"]["content"]["package"]


def _strays(table: str, column: str, target: str) -> int:
    query = (
        f"SELECT COUNT(*) FROM {table} a JOIN {target} b ON b.id = a.{column}"
        " WHERE a.org_id <> b.org_id"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def _filled(table: str, column: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE {column} IS NOT NULL")
        return int(cursor.fetchone()[0])


#: Columns that nothing fills yet.
EMPTY = {
    ("policy_policy", "connector_id"),
    ("tickets_ticket", "reserved_for_id"),
    ("tickets_ticket", "verifier_id"),
}


def test_no_row_points_across_orgs(desk: Desk, other: Desk) -> None:
    _busy(desk, "a")
    _busy(other, "b")
    for table, column, target in (*LINKS, *SOFT_LINKS):
        assert (table, column, _strays(table, column, target)) == (table, column, 0)
    unfilled = {(table, column) for table, column, _ in LINKS if not _filled(table, column)}
    assert unfilled <= EMPTY
    for model in (Verification, Evidence):
        assert {row.org_id for row in model.unscoped.all()} == {desk.org.id, other.org.id}


def test_the_scan_sees_a_row_that_does(desk: Desk, other: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    with transaction.atomic():
        try:
            with connection.cursor() as cursor:
                stranger = other.people["mallory"].actor_id
                cursor.execute(
                    "UPDATE tickets_ticket SET assignee_id = %s",
                    [stranger if connection.vendor == "postgresql" else stranger.hex],
                )
            assert _strays("tickets_ticket", "assignee_id", "accounts_actor") == 1
        finally:
            transaction.set_rollback(True)


@pytest.mark.postgres
def test_postgres_has_every_link(db: None) -> None:
    query = (
        "SELECT c.conname, r.relname FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid"
        " WHERE c.contype = 'f' AND c.convalidated AND c.conname LIKE '%%_same_org'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        found = sorted(cursor.fetchall())
    assert found == sorted((constraint_name(table, column), to) for table, column, to in LINKS)


#: Tables with the ticket in a key that another org's row may hold already.
KEYED = ("tickets_package", "tickets_criterion", "tickets_tag", "tickets_searchdoc")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_postgres_refuses_a_row_that_points_across(desk: Desk, other: Desk) -> None:
    _busy(desk, "a")
    _busy(other, "b")
    tried = 0
    for table, column, target in LINKS:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT id FROM {target} WHERE org_id = %s LIMIT 1", [other.org.id])
            stranger = cursor.fetchone()
            cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE org_id = %s", [desk.org.id])
            rows = cursor.fetchone()[0]
        if stranger is None or not rows:
            continue
        tried += 1
        name = constraint_name(table, column)
        # Where the column is part of a key, the row itself is moved instead.
        moved = column == "ticket_id" and table in KEYED
        change = ("org_id", other.org.id) if moved else (column, stranger[0])
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            _repoint(table, column, change, desk, name)
    assert tried == len(LINKS)


def _repoint(table: str, column: str, change: tuple[str, Any], desk: Desk, name: str) -> None:
    """Makes one row point at a stranger and asks for this one constraint now."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET CONSTRAINTS {name} IMMEDIATE")
        cursor.execute(
            f"UPDATE {table} SET {change[0]} = %s WHERE ctid = (SELECT ctid FROM {table}"
            f" WHERE org_id = %s ORDER BY {column} IS NULL LIMIT 1)",
            [change[1], desk.org.id],
        )


def test_a_timer_of_the_sweep_names_its_org(desk: Desk) -> None:
    timer = Timer(id=ids.uuid7(), org_id=desk.org.id, kind="x", subject=uuid4(), due_at=clock.now())
    Timer.unscoped.bulk_create([timer])
    assert Timer.objects.of(desk.org.id).count() == 1
    assert Timer.objects.of(uuid4()).count() == 0
