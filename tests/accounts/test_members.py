"""Members: who may change whom, that an org keeps an owner, and what ends with a membership."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from accounts.models import Membership, Token, User
from accounts.selectors import caller_of_membership
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing, Refusal, Stale
from stuckbot.lib.models import Audit, Event
from stuckbot.site.usecases.members import member_remove, member_role_change
from tests.api.refusals import refused
from tests.support import Api, Desk, file_ticket
from tickets.models import Claim, Ticket


def add(desk: Desk, name: str, role: Role) -> Caller:
    user = User.objects.create_user(f"{name}@acme.example", "correct horse")
    desk.people[name] = member_add(org=desk.org, user=user, role=role, now=clock.now())
    return caller(desk, name)


def caller(desk: Desk, name: str) -> Caller:
    members = Membership.objects.of(desk.org.id).select_related("org", "actor")
    return caller_of_membership(members.get(id=desk.people[name].id))


def change(desk: Desk, by: str, whom: str, role: Role) -> None:
    member_role_change(
        actor=caller(desk, by), membership_id=desk.people[whom].id, role=role, now=clock.now()
    )


def remove(desk: Desk, by: str, whom: str) -> list[str]:
    return member_remove(
        actor=caller(desk, by), membership_id=desk.people[whom].id, now=clock.now()
    )


def roles(desk: Desk) -> dict[str, str]:
    rows = Membership.objects.of(desk.org.id).values_list("user__email", "role")
    return {email.split("@")[0]: role for email, role in rows}


def may(what: Callable[[], object]) -> bool:
    try:
        what()
    except Forbidden:
        return False
    return True


@pytest.mark.parametrize("by", ["alice", "adam", "bob", "carol"])
@pytest.mark.parametrize("whom", ["olga", "alan", "mike", "vera"])
@pytest.mark.parametrize("role", list(Role))
def test_who_may_give_whom_which_role(desk: Desk, by: str, whom: str, role: Role) -> None:
    for name, had in (("adam", Role.ADMIN), ("olga", Role.OWNER), ("alan", Role.ADMIN)):
        add(desk, name, had)
    add(desk, "mike", Role.MEMBER)
    add(desk, "vera", Role.VIEWER)
    before = roles(desk)[whom]
    owner_only = "owner" in (before, role)
    expected = by == "alice" or (by == "adam" and not owner_only)
    assert may(lambda: change(desk, by, whom, role)) is expected
    assert roles(desk)[whom] == (role if expected else before)


@pytest.mark.parametrize(
    ("by", "whom", "expected"),
    [
        ("alice", "olga", True),
        ("alice", "adam", True),
        ("adam", "bob", True),
        ("adam", "olga", False),
        ("bob", "carol", False),
        ("carol", "bob", False),
        ("bob", "bob", True),
        ("carol", "carol", True),
    ],
)
def test_who_may_remove_whom(desk: Desk, by: str, whom: str, expected: bool) -> None:
    add(desk, "adam", Role.ADMIN)
    add(desk, "olga", Role.OWNER)
    assert may(lambda: remove(desk, by, whom)) is expected
    assert (whom in roles(desk)) is not expected


def test_nobody_raises_themselves(desk: Desk) -> None:
    add(desk, "adam", Role.ADMIN)
    for name in ("adam", "bob", "carol"):
        assert not may(lambda name=name: change(desk, name, name, Role.OWNER))  # type: ignore[misc]


def test_the_last_owner_stays(desk: Desk) -> None:
    add(desk, "adam", Role.ADMIN)
    for role in (Role.ADMIN, Role.MEMBER, Role.VIEWER):
        with pytest.raises(Conflict, match="keeps one owner") as told:
            change(desk, "alice", "alice", role)
        assert told.value.code == "last_owner"
    with pytest.raises(Conflict):
        remove(desk, "alice", "alice")
    change(desk, "alice", "alice", Role.OWNER)
    change(desk, "alice", "bob", Role.OWNER)
    remove(desk, "alice", "alice")
    assert roles(desk)["bob"] == "owner"


def test_an_owner_who_cannot_sign_in_does_not_count(desk: Desk) -> None:
    add(desk, "olga", Role.OWNER)
    User.objects.filter(email="olga@acme.example").update(is_active=False)
    with pytest.raises(Conflict):
        remove(desk, "alice", "alice")
    remove(desk, "alice", "olga")


def test_what_ends_with_a_membership(desk: Desk, stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    file_ticket(stuck)
    bob.post("/api/v1/tickets/SB-1/claim", {}).ok()
    assert remove(desk, "alice", "bob") == ["SB-1"]
    refused(bob.get("/api/v1/tickets"), 401, "invalid_token")
    ticket = Ticket.objects.of(desk.org.id).get(number=1)
    assert (ticket.state, ticket.claim_id) == ("open", None)
    assert Claim.objects.of(desk.org.id).get().end_reason == "member_removed"
    assert not Token.objects.of(desk.org.id).filter(membership_id=desk.people["bob"].id).exists()
    row = Audit.objects.of(desk.org.id).latest("no")
    assert (row.action, row.target, row.data["released"]) == (
        "member_removed",
        str(desk.people["bob"].id),
        ["SB-1"],
    )
    # What they wrote stays under their name, and others go on.
    assert desk.people["bob"].actor.name == "bob"
    desk.agent("next").post("/api/v1/tickets/SB-1/claim", {}).ok()


@pytest.mark.parametrize("goes", [True, False], ids=["removed", "a viewer now"])
def test_who_goes_looks_after_no_open_ticket(
    desk: Desk, stuck: Api, alice: Api, goes: bool
) -> None:
    bob = desk.people["bob"]
    for number in (1, 2, 3):
        version = file_ticket(stuck)["version"]
        chosen = {"assignee": str((bob if number < 3 else desk.people["alice"]).actor_id)}
        alice.call("PATCH", f"/api/v1/tickets/SB-{number}", {**chosen, "version": version}).ok()
    alice.post("/api/v1/tickets/SB-2/close", {}).ok()
    if goes:
        remove(desk, "alice", "bob")
    else:
        change(desk, "alice", "bob", Role.VIEWER)
    rows = dict(Ticket.objects.of(desk.org.id).values_list("number", "assignee_id"))
    # A closed ticket keeps the name of who looked after it.
    assert rows == {1: None, 2: bob.actor_id, 3: desk.people["alice"].actor_id}
    told = Event.objects.of(desk.org.id).filter(type="ticket_edited").latest("seq")
    assert (told.ticket_id, told.data, told.actor_id) == (
        Ticket.objects.of(desk.org.id).get(number=1).id,
        {"assignee_id": None},
        desk.people["alice"].actor_id,
    )


def test_another_orgs_membership_and_token_stay(desk: Desk, other: Desk) -> None:
    user = desk.people["bob"].user
    elsewhere = member_add(org=other.org, user=user, role=Role.MEMBER, now=clock.now())
    remove(desk, "alice", "bob")
    assert Membership.objects.of(other.org.id).filter(id=elsewhere.id).exists()
    other.people["bob"] = elsewhere
    assert other.person("bob").get("/api/v1/tickets").status == 200


def test_another_orgs_member_is_nobodys_here(desk: Desk, other: Desk) -> None:
    for act in (
        lambda: member_remove(
            actor=caller(desk, "alice"),
            membership_id=other.people["mallory"].id,
            now=clock.now(),
        ),
        lambda: member_role_change(
            actor=caller(desk, "alice"),
            membership_id=other.people["mallory"].id,
            role=Role.VIEWER,
            now=clock.now(),
        ),
    ):
        with pytest.raises(Missing):
            act()


def test_who_may_only_look_holds_nothing(desk: Desk, stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    bob.post("/api/v1/tickets/SB-1/claim", {}).ok()
    change(desk, "alice", "bob", Role.VIEWER)
    assert Ticket.objects.of(desk.org.id).get().claim_id is None
    refused(bob.post("/api/v1/tickets/SB-1/claim", {}), 403, "not_eligible")


def test_who_was_removed_meanwhile_removes_nobody(desk: Desk) -> None:
    olga = add(desk, "olga", Role.OWNER)
    remove(desk, "alice", "olga")
    with pytest.raises(Forbidden):
        member_remove(actor=olga, membership_id=desk.people["alice"].id, now=clock.now())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("act", ["remove each other", "leave", "step down"])
def test_of_two_owners_at_once_one_stays(desk: Desk, act: str, turn: int) -> None:
    olga, alice = add(desk, "olga", Role.OWNER), caller(desk, "alice")
    pairs = {"alice": alice, "olga": olga}
    line, told = threading.Barrier(2), []

    def work(name: str) -> None:
        whom = {"alice": "olga", "olga": "alice"}[name] if act == "remove each other" else name
        line.wait()
        try:
            told.append(_act(pairs[name], desk.people[whom], act))
        except Refusal as refusal:
            told.append(refusal.status)
        finally:
            connection.close()

    racers = [threading.Thread(target=work, args=(name,)) for name in pairs]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert sorted(told)[0] == 0
    assert len([one for one in told if one]) == 1
    assert list(roles(desk).values()).count("owner") == 1


def _act(actor: Caller, target: Membership, act: str) -> int:
    while True:
        try:
            if act == "step down":
                member_role_change(
                    actor=actor, membership_id=target.id, role=Role.MEMBER, now=clock.now()
                )
            else:
                member_remove(actor=actor, membership_id=target.id, now=clock.now())
        except Stale:
            continue
        return 0
