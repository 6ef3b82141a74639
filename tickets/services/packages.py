"""Replacing the handoff package, within what is locked by then, and completing it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from accounts.selectors import scope_require
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.rows import ONE_MORE
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import Facts
from tickets.models import Criterion, Package, Ticket
from tickets.packages.check import DEFAULT_URGENCY, CheckedPackage
from tickets.search.fingerprint import fingerprint_of
from tickets.selectors import card_of, criteria_list, facts_get, packages_get
from tickets.services.bar import bar_changed, bar_check, bar_is_open
from tickets.services.claims import holder_require, still_here
from tickets.services.create import Draft, criterion_rows, package_contents
from tickets.services.findings import findings_new
from tickets.services.intake import Intake, package_take
from tickets.services.moves import Change, move_apply, move_require, transition_refuse
from tickets.services.wordsets import tags_drop, tags_write, wordset_id
from tickets.states import State

#: The parts that a plain explanation has to have.
EXPLAINED: Final = ("problem", "impact", "next_step")


@dataclass(frozen=True, slots=True)
class _Rewrite:
    """`replaces`: criteria may go or change; `changed` names those that do. `edits`: what the
    ticket says of itself from now on."""

    checked: CheckedPackage
    draft: Draft
    edits: dict[str, Any]
    skillset_id: UUID | None
    replaces: bool
    old: list[Criterion]
    changed: frozenset[str]


def package_update(
    *,
    actor: Caller,
    ref: str,
    package: object,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """A new version of the package: by the creator while open, by the holder while leased; of an
    incomplete one by both and by any member until it is closed, and it may still lack fields.

    Explanation, urgency and labels that it says as the version before it did stay as the ticket
    has them: members may have edited those.

    Criteria may change until somebody has claimed the ticket, or has completed it; from then on
    they are only added to (409 `criteria_locked`, `details.criteria` names those at fault).
    """
    scope_require(actor, "tickets:update")
    return _update(actor, facts_get(actor=actor, ref=ref), package, now, keep)


def package_fill(
    *,
    actor: Caller,
    ref: str,
    fields: Mapping[str, Any],
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """Puts these fields into the package of an incomplete ticket and leaves the rest of it.

    What was edited on the ticket meanwhile, its explanation, labels and urgency, stays edited.
    Raises as `package_update`, and 409 `invalid_transition` when nothing is missing.
    """
    scope_require(actor, "tickets:update")
    facts = facts_get(actor=actor, ref=ref)
    if not facts.incomplete:
        raise transition_refuse(facts, now, f"Nothing is missing from {facts.ref} any more.")
    return _update(actor, facts, _filled(facts, fields), now, keep)


def _filled(facts: Facts, fields: Mapping[str, Any]) -> dict[str, Any]:
    package = dict(packages_get(facts.id, {facts.package_n}, facts.org_id)[facts.package_n])
    card = card_of(facts.id, facts.org_id)
    if card.labels or "labels" in package:
        package["labels"] = card.labels
    if card.facts.urgency != package.get("urgency", DEFAULT_URGENCY):
        package["urgency"] = card.facts.urgency
    if card.human_summary and {*EXPLAINED} <= {*card.human_summary}:
        package["human_summary"] = card.human_summary
    return {**package, **fields}


def _update(
    actor: Caller, facts: Facts, package: object, now: datetime, keep: Keep | None
) -> Facts:
    _may_write(actor, facts, now)
    intake = package_take(package, allow_incomplete=facts.incomplete)
    bar_check(actor, facts, intake.checked)
    rewrite = _rewrite(actor, facts, intake)
    with unit_of_work(actor, now, keep) as unit:
        if facts.incomplete:
            still_here(actor)
        _store(unit, rewrite)
        action = "complete_package" if facts.incomplete else "update_package"
        move_apply(unit, facts, action, _change(facts, rewrite))
        _rows_write(unit, facts, actor, rewrite)
        if facts.incomplete and not rewrite.checked.missing:
            _completed(unit, facts)
        unit.result = facts
    return facts


def _rewrite(actor: Caller, facts: Facts, intake: Intake) -> _Rewrite:
    checked = intake.checked
    draft = package_contents(facts.org_id, facts.root_id, facts.id, intake)
    draft.package.findings = findings_new(facts, draft.package.findings)
    before = packages_get(facts.id, {facts.package_n}, facts.org_id)[facts.package_n]
    edits = _edits(facts.org_id, before, checked, draft)
    if "summary" not in edits:
        draft = replace(draft, summary=None)
    return _Rewrite(
        checked=checked,
        draft=draft,
        edits=edits,
        skillset_id=wordset_id(facts.org_id, "skills", checked.required_skills),
        replaces=bar_is_open(facts, actor),
        old=criteria_list(facts.id, facts.org_id),
        changed=bar_changed(before, checked),
    )


def _edits(
    org_id: UUID, before: Mapping[str, Any], checked: CheckedPackage, draft: Draft
) -> dict[str, Any]:
    """The columns that members may edit too, as far as the package says something else than the
    version `before` it: whoever sends the rest back as it was read undoes no edit."""
    sent, edits = checked.package, dict[str, Any]()
    if draft.summary is not None and sent["human_summary"] != before.get("human_summary"):
        edits["summary"] = draft.summary
    if "urgency" in sent and checked.urgency != before.get("urgency", DEFAULT_URGENCY):
        edits["urgency"] = checked.urgency
    if checked.labels != tuple(dict.fromkeys(before.get("labels", ()))):
        edits["labelset_id"] = wordset_id(org_id, "labels", checked.labels)
    return edits


def _may_write(actor: Caller, facts: Facts, now: datetime) -> None:
    if facts.incomplete:
        _may_complete(actor, facts, now)
        return
    state = facts.state_at(now)
    lost = facts.is_expired(now) and facts.solver_id == actor.id != facts.creator_id
    if facts.is_leased(now) or lost:
        holder_require(facts, actor, "update_package", now)
    elif state != State.OPEN:
        raise transition_refuse(
            facts, now, f"{facts.ref} is {state}: its package can be changed while open or held."
        )
    elif facts.creator_id != actor.id:
        raise Conflict(
            f"Only its creator can change the package of {facts.ref} while nobody holds it.",
            code="not_claim_holder",
        )


def _may_complete(actor: Caller, facts: Facts, now: datetime) -> None:
    move_require(facts, "complete_package", now)
    is_theirs = actor.id in (facts.creator_id, facts.holder(now))
    if not actor.is_person and not is_theirs:
        raise Conflict(
            f"Only its creator, its holder or a member can complete the package of {facts.ref}.",
            code="not_claim_holder",
        )


def _store(unit: Unit, rewrite: _Rewrite) -> None:
    unit.store(*rewrite.draft.rows)
    unit.flush_content()


def _change(facts: Facts, rewrite: _Rewrite) -> Change:
    checked = rewrite.checked
    fields: dict[str, Any] = {
        "package_n": facts.package_n + 1,
        "title": rewrite.draft.title,
        "fingerprint": fingerprint_of(checked.package),
        "mode": checked.mode,
        "skillset_id": rewrite.skillset_id,
        **rewrite.edits,
    }
    data: dict[str, Any] = {"package_version": facts.package_n + 1}
    if facts.incomplete:
        fields |= {
            "incomplete": bool(checked.missing),
            "missing": ",".join(checked.missing),
            "bar_fixed": not checked.missing,
        }
        data["missing_fields"] = list(checked.missing)
    if rewrite.changed:
        # What was sent for a criterion says nothing of the one that has taken its place.
        fields["attempt"] = ONE_MORE
    return Change(fields=fields, data=data, by_claim=False)


def _rows_write(unit: Unit, facts: Facts, actor: Caller, rewrite: _Rewrite) -> None:
    n = facts.package_n + 1
    version = Package(
        org_id=facts.org_id,
        ticket_id=facts.id,
        n=n,
        content=rewrite.draft.package,
        author_id=actor.id,
        by_holder=facts.solver_id == actor.id,
        created_at=unit.now,
    )
    Package.unscoped.bulk_create([version])
    ticket = Ticket.objects.of(facts.org_id).select_related("labelset").get(id=facts.id)
    _criteria_write(ticket, rewrite, n)
    tags_drop(facts)
    if ticket.labelset is not None:
        tags_write(ticket, ticket.labelset.words)


def _completed(unit: Unit, facts: Facts) -> None:
    unit.event(
        "package_completed",
        ticket_id=facts.id,
        data={"package_version": facts.package_n + 1},
        tell=facts.listeners(unit.now),
    )


def _criteria_write(ticket: Ticket, rewrite: _Rewrite, n: int) -> None:
    rows = criterion_rows(ticket, rewrite.checked.criteria, n)
    if rewrite.replaces:
        since = {row.key: row.added_n for row in rewrite.old if row.key not in rewrite.changed}
        for row in rows:
            row.added_n = since.get(row.key, n)
        Criterion.objects.of(ticket.org_id).filter(ticket=ticket).delete()
        Criterion.unscoped.bulk_create(rows)
        return
    known = {row.key for row in rewrite.old}
    Criterion.unscoped.bulk_create([row for row in rows if row.key not in known])
