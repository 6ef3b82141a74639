"""Filling an org with the week, in one transaction, and the record of what was made."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import Org, User
from accounts.services.orgs import org_make, system_caller
from accounts.states import Role
from stuckbot.lib.models import Audit, OrgClock
from stuckbot.lib.outbox import outbox_done
from stuckbot.lib.unit import unit_of_work
from stuckbot.site.demo.asking import asked
from stuckbot.site.demo.cast import Cast, cast_make, last_seen, member_note
from stuckbot.site.demo.play import play
from stuckbot.site.demo.script import stories_of
from stuckbot.site.demo.verifier import verifier_make
from stuckbot.site.notices.reading import CONSUMER
from tickets.models import Ticket

ADDED = "demo_added"
REMOVED = "demo_removed"


class DemoRefused(Exception):
    """Why nothing was done, in a sentence for whoever ran the command."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a demo made in an org, by table; `whole_org` when the org itself was made for it."""

    made: dict[str, list[str]]
    seed: int
    whole_org: bool


def record_find(org_id: UUID) -> Record | None:
    """The demo that stands in the org; None when there is none, or it was removed."""
    entries = Audit.objects.of(org_id).filter(action__in=(ADDED, REMOVED))
    last = entries.order_by("-no").first()
    if last is None or last.action == REMOVED:
        return None
    return Record(last.data["made"], last.data["seed"], last.data["whole_org"])


def demo_new(*, name: str, seed: int, member: User | None, now: datetime) -> Org:
    """An org of its own for the demo, which `member` owns and so can look at."""
    with transaction.atomic():
        org = org_make(name=name, now=_start(now))
        _fill(org, seed=seed, member=member, whole_org=True, now=now)
    return org


def demo_fill(*, org: Org, seed: int, now: datetime) -> None:
    """Fills an org that has no tickets yet; refuses one that has."""
    with transaction.atomic():
        if Ticket.objects.of(org.id).exists():
            raise DemoRefused(
                f"{org.name} has tickets of its own, and the demo would mix with them."
                " Make an org for it with --new NAME."
            )
        _fill(org, seed=seed, member=None, whole_org=False, now=now)


def _fill(org: Org, *, seed: int, member: User | None, whole_org: bool, now: datetime) -> None:
    cast: Cast = cast_make(org, _start(now))
    if member is not None:
        member_note(cast, member, Role.OWNER, _start(now))
    verifier_make(cast, "ana", _start(now))
    play(cast, stories_of(seed), now)
    last_seen(cast, now)
    asked(cast, now)
    with unit_of_work(system_caller(org.id), now) as unit:
        unit.audit(ADDED, str(org.id), seed=seed, whole_org=whole_org, made=cast.made)
    _tell_nobody(org.id)


def _tell_nobody(org_id: UUID) -> None:
    """Decisions that are made up are mailed to nobody: who mails of them has read this far."""
    head = OrgClock.objects.of(org_id).values_list("seq", flat=True).get()
    outbox_done(consumer=CONSUMER, org_id=org_id, seq=head)


def _start(now: datetime) -> datetime:
    return now - timedelta(days=8)
