"""Writing a policy: who may, what is refused, what the audit says, what then holds."""

import threading
from dataclasses import asdict
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from accounts.models import Org, Project
from accounts.selectors import caller_of_membership
from accounts.services.orgs import project_make, system_caller
from policy.models import Policy
from policy.resolve import SETTINGS, Resolved, policy_of, policy_resolve
from policy.selectors import policies_get
from policy.services.policies import WHOLE, Reach, policy_clear, policy_mark, policy_set
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Invalid, Missing
from stuckbot.lib.models import Audit
from tests.support import Desk


def caller(desk: Desk, name: str) -> Caller:
    return caller_of_membership(desk.people[name])


def put(desk: Desk, reach: Reach = WHOLE, **changes: Any) -> Policy | None:
    return policy_set(actor=caller(desk, "alice"), changes=changes, now=clock.now(), reach=reach)


def version(desk: Desk) -> int:
    return Org.objects.get(id=desk.org.id).policy_version


def holds(desk: Desk, project: Project | None = None, connector: Any = None) -> Resolved:
    chosen = project.id if project else desk.org.default_project_id
    assert chosen is not None
    return policy_resolve(
        org_id=desk.org.id, version=version(desk), project_id=chosen, connector_id=connector
    )


def audits(desk: Desk) -> list[tuple[str, Any]]:
    rows = Audit.objects.of(desk.org.id).filter(action__startswith="policy_").order_by("no")
    return [(row.action, row.data) for row in rows]


def test_nothing_set_is_the_default(desk: Desk) -> None:
    assert holds(desk) == Resolved("automatic", "automatic", 60, 1440, None, False, False, 3)


def test_an_older_snapshot_reads_as_the_default() -> None:
    old = {"blocker": "agent", "task": "person", "lease_minutes": 30, "approval": "agent"}
    assert policy_of(old) == Resolved("agent", "person", 30)
    strict = Resolved(verifier_wait_minutes=30, different_provider=True, max_rejections=1)
    assert policy_of({**asdict(strict), "approval": "agent"}) == strict


def test_the_narrower_overwrites_the_wider(desk: Desk) -> None:
    project = project_make(org=desk.org, name="Strict", now=clock.now())
    put(desk, blocker="agent", task="agent", verifier_wait_minutes=30, different_provider=True)
    put(desk, Reach(project.id), task="person", verifier_wait_minutes=0, different_provider=False)
    put(desk, Reach(None, desk.connector.id), max_rejections=7)
    put(desk, Reach(project.id, desk.connector.id), blocker="person")
    plain = holds(desk)
    assert (plain.blocker, plain.task, plain.verifier_wait_minutes) == ("agent", "agent", 30)
    assert plain.different_provider
    narrow = holds(desk, project)
    assert (narrow.blocker, narrow.task, narrow.verifier_wait_minutes) == ("agent", "person", None)
    assert not narrow.different_provider
    both = holds(desk, project, desk.connector.id)
    assert (both.blocker, both.task, both.max_rejections) == ("person", "person", 7)
    assert holds(desk, None, desk.connector.id).blocker == "agent"


def test_it_says_who_set_each(desk: Desk) -> None:
    project = project_make(org=desk.org, name="Strict", now=clock.now())
    put(desk, blocker="agent", different_connector=False)
    put(desk, Reach(project.id), task="person")
    policies = policies_get(actor=caller(desk, "carol"))
    assert policies.of_org().set_by["task"] == "default"
    found = policies.of_project(project.id)
    assert set(found.set_by) == set(SETTINGS)
    chosen = ("blocker", "task", "different_connector", "max_rejections")
    assert [found.set_by[name] for name in chosen] == ["org", "project", "org", "default"]
    assert found.policy == holds(desk, project)


def test_a_change_steps_the_version_and_is_audited_once(desk: Desk) -> None:
    before = version(desk)
    row = put(desk, blocker="agent", max_rejections=5)
    assert row is not None
    put(desk, blocker="agent", max_rejections=5)
    assert version(desk) == before + 1
    put(desk, blocker=None)
    assert version(desk) == before + 2
    changed = {"blocker": [None, "agent"], "max_rejections": [None, 5]}
    assert audits(desk) == [
        ("policy_added", {"changed": changed}),
        ("policy_changed", {"changed": {"blocker": ["agent", None]}}),
    ]
    assert holds(desk).blocker == "automatic"


def test_what_sets_nothing_makes_no_row(desk: Desk) -> None:
    assert put(desk, blocker=None) is None
    assert not Policy.objects.of(desk.org.id).exists()
    assert (audits(desk), version(desk)) == ([], 1)


def test_clearing_gives_all_back(desk: Desk) -> None:
    project = project_make(org=desk.org, name="Strict", now=clock.now())
    reach = Reach(project.id)
    put(desk, reach, blocker="person", lease_minutes=30)
    alice, now = caller(desk, "alice"), clock.now()
    assert policy_clear(actor=alice, now=now, reach=reach)
    assert not policy_clear(actor=alice, now=now, reach=reach)
    assert holds(desk, project) == Resolved()
    assert audits(desk)[-1] == ("policy_removed", {"project_id": str(project.id)})
    assert version(desk) == 3


def test_every_fault_is_named_at_once_and_nothing_changed(desk: Desk) -> None:
    wrong: dict[str, Any] = {
        "blocker": "sometimes",
        "task": 7,
        "verifier_wait_minutes": -1,
        "different_connector": "yes",
        "different_provider": 1,
        "max_rejections": 0,
        "lease_minutes": 4,
        "lease_minutes_most": True,
        "colour": "red",
    }
    with pytest.raises(Invalid) as refused:
        put(desk, **wrong)
    assert {one["path"] for one in refused.value.details["fields"]} == set(wrong)
    assert not Policy.objects.of(desk.org.id).exists()
    assert version(desk) == 1


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("verifier_wait_minutes", (0, 1, 43_200), (-1, 43_201, 1.5, "5", True)),
        ("max_rejections", (1, 100), (0, 101)),
        ("lease_minutes", (5, 1440), (4, 1441)),
    ],
)
def test_the_bounds(desk: Desk, name: str, good: tuple[Any, ...], bad: tuple[Any, ...]) -> None:
    for value in good:
        row = put(desk, **{name: value})
        assert getattr(row, name) == value
    for value in bad:
        with pytest.raises(Invalid):
            put(desk, **{name: value})


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_a_member_may_not(desk: Desk, name: str) -> None:
    who, now = caller(desk, name), clock.now()
    with pytest.raises(Forbidden):
        policy_set(actor=who, changes={"blocker": "person"}, now=now)
    with pytest.raises(Forbidden):
        policy_clear(actor=who, now=now)
    policy_set(actor=who, changes={"blocker": "person"}, now=now, operator="1")
    assert audits(desk)[0][1]["operator"] == "1"


def test_the_desk_itself_may(desk: Desk) -> None:
    policy_set(actor=system_caller(desk.org.id), changes={"task": "agent"}, now=clock.now())
    assert holds(desk).task == "agent"


def test_another_orgs_project_is_not_there(desk: Desk, other: Desk) -> None:
    for reach in (Reach(other.org.default_project_id), Reach(None, other.connector.id)):
        with pytest.raises(Missing):
            put(desk, reach, blocker="person")
        with pytest.raises(Missing):
            policy_clear(actor=caller(desk, "alice"), now=clock.now(), reach=reach)
    mallory = caller(other, "mallory")
    policy_set(actor=mallory, changes={"blocker": "person"}, now=clock.now())
    assert holds(desk) == Resolved()


def test_what_was_not_seen_is_not_overwritten(desk: Desk) -> None:
    def save(seen: str, now: datetime, **changes: Any) -> Policy | None:
        return policy_set(actor=caller(desk, "alice"), changes=changes, now=now, seen=seen)

    now, nothing = clock.now(), policy_mark(None)
    row = save(nothing, now, blocker="agent")
    with pytest.raises(Conflict) as refused:
        save(nothing, now, blocker="person")
    assert (refused.value.status, refused.value.code) == (409, "policy_changed")
    save(policy_mark(row), now, blocker="person")
    with pytest.raises(Conflict):
        policy_clear(actor=caller(desk, "alice"), now=now, seen=policy_mark(row))
    assert holds(desk).blocker == "person"


@pytest.mark.django_db(transaction=True)
def test_of_those_who_save_at_once_one_does(desk: Desk) -> None:
    line, told = threading.Barrier(4), []
    alice, seen = caller(desk, "alice"), policy_mark(None)

    def work(count: int) -> None:
        line.wait()
        changes = {"max_rejections": count}
        try:
            policy_set(actor=alice, changes=changes, now=clock.now(), seen=seen)
            told.append(count)
        except Conflict as refusal:
            told.append(refusal.status)
        finally:
            connection.close()

    racers = [threading.Thread(target=work, args=(count,)) for count in (1, 2, 4, 5)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    won = [one for one in told if one != 409]
    assert (len(told), won) == (4, [holds(desk).max_rejections])
    assert [action for action, _data in audits(desk)] == ["policy_added"]
    assert version(desk) == 2
