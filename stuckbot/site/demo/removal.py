"""Taking the demo away: exactly the rows it made, and an org only when nothing else is in it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.db import transaction
from django.db.models import F, ForeignKey, Model, Q, QuerySet

from accounts.models import (
    Actor,
    Agent,
    AgentRequest,
    Connector,
    Membership,
    Notice,
    Org,
    Project,
    Signal,
    Token,
    User,
)
from accounts.services.orgs import policy_touched, system_caller
from policy.models import Policy
from stuckbot.lib.models import (
    Audit,
    Content,
    Event,
    Idempotency,
    Inbox,
    OrgClock,
    OutboxCursor,
    Pace,
    Timer,
)
from stuckbot.lib.tenancy import OrgOwned
from stuckbot.lib.unit import unit_of_work
from stuckbot.site.demo.week import REMOVED, DemoRefused, Record, record_find
from tickets.models import Claim, SearchCount, SearchLike, SearchOrg, Ticket, WordSet
from tickets.services.braking import counts_of
from verification.models import Attestation, VerifierKey

_NAMED: Final[dict[str, type[OrgOwned]]] = {
    "ticket": Ticket,
    "policy": Policy,
    "agent": Agent,
    "connector": Connector,
    "membership": Membership,
    "project": Project,
    "actor": Actor,
    "verifier_key": VerifierKey,
}
#: Books of the org itself: they alone keep no org standing.
_BOOKS: Final[tuple[type[OrgOwned], ...]] = (
    *(OrgClock, Audit, WordSet, Idempotency, OutboxCursor, Timer, Content, Event, Inbox, Pace),
    *(SearchCount, SearchOrg),
)


def demo_remove(*, org: Org, with_replies: bool, now: datetime) -> bool:
    """Removes the org's demo; True when the org went with it.

    Refuses while others wrote on its tickets, unless `with_replies` says that this may go too, and
    while anything that is not the demo's names somebody or something of it. What stays of a demo
    in an org of one's own are audit entries, the counters and sets of labels.
    """
    with transaction.atomic():
        # Every write of the org waits here, so nothing new can come to hang on what goes.
        OrgClock.objects.of(org.id).update(seq=F("seq"))
        record = record_find(org.id)
        if record is None:
            raise DemoRefused(f"There is no demo in {org.name}.")
        if not with_replies:
            _replies_check(org.id, record)
        _names_check(org.id, record)
        _tickets_drop(org.id, record)
        _people_drop(org.id, record)
        if record.whole_org and not _others(org):
            _org_drop(org)
            return True
        policy_touched(org_id=org.id)
        with unit_of_work(system_caller(org.id), now) as unit:
            unit.audit(REMOVED, str(org.id))
            unit.offer_changed()
            unit.colour_changed()
    return False


def _replies_check(org_id: UUID, record: Record) -> None:
    """Everything that somebody does to a ticket leaves an event with their name."""
    ours = [*record.made["actor"], str(org_id)]
    events = Event.objects.of(org_id).filter(ticket_id__in=record.made["ticket"])
    touched = events.exclude(actor_id__in=ours).values("ticket_id")
    numbers = Ticket.objects.of(org_id).filter(id__in=touched).order_by("number")
    refs = [f"SB-{number}" for number in numbers.values_list("number", flat=True)]
    if refs:
        raise DemoRefused(
            f"Others have written on or acted on {', '.join(refs[:8])} of the demo."
            " Remove it with --with-replies if that may go too."
        )


def _names_check(org_id: UUID, record: Record) -> None:
    """Refuses while a row that stays points at one that goes."""
    for table, model in _NAMED.items():
        for owner, name in _links_to(model):
            rows = owner.objects.of(org_id).filter(**{f"{name}__in": record.made.get(table, [])})
            if stays := _staying(rows, owner, record).count():
                raise DemoRefused(
                    f"{stays} {owner._meta.verbose_name} of your own still names a"
                    f" {model._meta.verbose_name} of the demo ({name}). Change that first."
                )


def _links_to(model: type[Model]) -> Iterator[tuple[type[OrgOwned], str]]:
    """Every foreign key to the table, those without a way back included."""
    for owner in apps.get_models():
        for link in owner._meta.get_fields():
            points = isinstance(link, ForeignKey) and link.related_model is model
            if points and issubclass(owner, OrgOwned):
                yield owner, link.name


def _staying(rows: QuerySet[Any], model: type[Model], record: Record) -> QuerySet[Any]:
    """Without those that go too: made by the demo, parts of its tickets, tokens of its agents."""
    for table, named in _NAMED.items():
        if model is named:
            return rows.exclude(pk__in=record.made.get(table, []))
    if model is Token:
        return rows.exclude(_token_bearers(record))
    if model in (AgentRequest, Signal):
        return rows.exclude(agent_id__in=record.made["agent"])
    if model is Notice:
        return rows.exclude(_notices(record))
    if model is SearchLike:
        return rows.none()  # says nothing that was not worked out, and goes with either
    if model is Attestation:
        return rows.exclude(evidence__ticket_id__in=record.made["ticket"])
    if "ticket" in {one.name for one in model._meta.get_fields()}:
        return rows.exclude(ticket_id__in=record.made["ticket"])
    return rows


def _notices(record: Record) -> Q:
    """Of its decisions to whomever, and of whatever to its people."""
    made = record.made
    return Q(ticket_id__in=made["ticket"]) | Q(membership_id__in=made["membership"])


def _token_bearers(record: Record) -> Q:
    made = record.made
    return (
        Q(agent_id__in=made["agent"])
        | Q(connector_id__in=made["connector"])
        | Q(membership_id__in=made["membership"])
    )


def _tickets_drop(org_id: UUID, record: Record) -> None:
    tickets = record.made["ticket"]
    events = Event.objects.of(org_id).filter(ticket_id__in=tickets)
    _drop(Inbox.objects.of(org_id).filter(seq__in=list(events.values_list("seq", flat=True))))
    claims = Claim.objects.of(org_id).filter(ticket_id__in=tickets)
    _drop(Timer.objects.of(org_id).filter(subject__in=list(claims.values_list("id", flat=True))))
    signed = Attestation.objects.of(org_id).filter(evidence__ticket_id__in=tickets)
    _drop(Attestation.objects.of(org_id).filter(pk__in=list(signed.values_list("pk", flat=True))))
    for part, name in _links_to(Ticket):
        if name == "ticket":
            _drop(part.objects.of(org_id).filter(**{"ticket_id__in": tickets}))
    _drop(SearchLike.objects.of(org_id).filter(other_id__in=[UUID(one) for one in tickets]))
    _drop(events)
    _drop(Content.objects.of(org_id).filter(root_id__in=tickets))
    _drop(Ticket.objects.of(org_id).filter(id__in=tickets))


def _people_drop(org_id: UUID, record: Record) -> None:
    made = record.made
    _drop(Notice.objects.of(org_id).filter(_notices(record)))
    _drop(Content.objects.of(org_id).filter(id__in=made["agent"]))
    _drop(Inbox.objects.of(org_id).filter(actor_id__in=made["actor"]))
    _drop(Pace.objects.of(org_id).filter(actor_id__in=_paces(org_id, record)))
    _drop(Token.objects.of(org_id).filter(_token_bearers(record)))
    _agents_words_drop(org_id, made["agent"])
    for table in ("verifier_key", "policy", "agent", "connector", "membership", "project", "actor"):
        _drop(_NAMED[table].objects.of(org_id).filter(pk__in=made.get(table, [])))
    # Somebody may have made a person of the demo a member of another org: they stay.
    User.objects.filter(id__in=made["user"], memberships__isnull=True).delete()


def _paces(org_id: UUID, record: Record) -> list[UUID]:
    """Where the tickets of its agents were counted; they file in no project but these."""
    actors, connectors, projects = (
        [UUID(one) for one in record.made.get(name, [])]
        for name in ("actor", "connector", "project")
    )
    usual = Org.objects.values_list("default_project_id", flat=True).get(id=org_id)
    return counts_of(actors, connectors, [*projects, usual])


def _agents_words_drop(org_id: UUID, agents: list[str]) -> None:
    """What agents were asked for and what was said of them, with the texts and events of it."""
    asked = AgentRequest.objects.of(org_id).filter(agent_id__in=agents)
    signals = Signal.objects.of(org_id).filter(agent_id__in=agents)
    texts = [*asked.filter(message__isnull=False).values_list("message_id", flat=True)]
    texts += signals.filter(details__isnull=False).values_list("details_id", flat=True)
    told = Event.objects.of(org_id).filter(content_id__in=texts)
    for rows in (asked, signals, told, Content.objects.of(org_id).filter(id__in=texts)):
        _drop(rows)


def _others(org: Org) -> bool:
    """Whether anything is left in the org that its own making did not bring."""
    for model in apps.get_models():
        if not issubclass(model, OrgOwned) or model in _BOOKS:
            continue
        rows = model.objects.of(org.id)
        if model is Actor:
            rows = rows.exclude(pk=org.id)
        if model is Project:
            rows = rows.exclude(pk=org.default_project_id)
        if rows.exists():
            return True
    return False


def _org_drop(org: Org) -> None:
    for model in apps.get_models():
        if issubclass(model, OrgOwned):
            _drop(model.objects.of(org.id))
    _drop(Org.objects.filter(id=org.id))


def _drop(rows: QuerySet[Any]) -> None:
    """Plain deletes: keys are checked at the commit, so the order does not matter, and a row that
    still points at one that went rolls all of it back."""
    rows._raw_delete(rows.db)
