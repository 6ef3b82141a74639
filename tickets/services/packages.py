"""Replacing the handoff package, within what is locked by then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.selectors import scope_require
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import value_of
from stuckbot.lib.errors import Conflict
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import Facts
from tickets.models import Criterion, Package, Ticket
from tickets.packages.check import CheckedPackage, CriterionSpec
from tickets.selectors import criteria_list, facts_get, package_get
from tickets.services.claims import holder_require
from tickets.services.create import Draft, criterion_rows, package_contents
from tickets.services.findings import findings_new
from tickets.services.intake import package_take
from tickets.services.moves import Change, move_apply, transition_refuse
from tickets.services.wordsets import tags_drop, tags_write, wordset_id
from tickets.states import State


@dataclass(frozen=True, slots=True)
class _Rewrite:
    checked: CheckedPackage
    draft: Draft
    unlocked: bool
    old: list[Criterion]
    wordsets: tuple[Any, Any]


def package_update(
    *,
    actor: Caller,
    ref: str,
    package: object,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """A new version of the package: by the creator while open, by the holder while leased.

    Criteria may change until somebody has claimed the ticket; from then on they are only added to
    (409 `criteria_locked`, `details.criteria` names those at fault).
    """
    scope_require(actor, "tickets:update")
    facts = facts_get(actor=actor, ref=ref)
    _may_write(actor, facts, now)
    intake = package_take(package)
    checked = intake.checked
    old = criteria_list(facts.id, facts.org_id)
    unlocked = not facts.ever_claimed and facts.creator_id == actor.id
    if not unlocked:
        _locked_check(facts, checked, old)
    draft = package_contents(facts.org_id, facts.root_id, facts.id, intake)
    draft.package.findings = findings_new(facts, draft.package.findings)
    wordsets = (
        wordset_id(facts.org_id, "labels", checked.labels),
        wordset_id(facts.org_id, "skills", checked.required_skills),
    )
    rewrite = _Rewrite(checked, draft, unlocked, old, wordsets)
    with unit_of_work(actor, now, keep) as unit:
        _store(unit, facts, rewrite)
        move_apply(unit, facts, "update_package", _change(facts, actor, rewrite))
        _rows_write(unit, facts, actor, rewrite)
        unit.result = facts
    return facts


def _may_write(actor: Caller, facts: Facts, now: datetime) -> None:
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


def _locked_check(facts: Facts, checked: CheckedPackage, old: Sequence[Criterion]) -> None:
    fresh = {spec.key: spec for spec in checked.criteria}
    before = _described(facts)
    changed = [
        row.key
        for row in old
        if row.key not in fresh or not _same(row, before.get(row.key), fresh[row.key])
    ]
    if checked.mode != facts.mode:
        changed.append("mode")
    if changed:
        raise Conflict(
            "The bar was fixed when work began: existing criteria and the mode stay as they are. "
            "Send them unchanged; you may add new criteria.",
            code="criteria_locked",
            details={"criteria": changed},
        )


def _described(facts: Facts) -> dict[str, str]:
    """The descriptions in the package as it stands, by key."""
    stored = package_get(facts.id, facts.package_n, facts.org_id).content
    package = value_of(stored.bytes, stored.key_id) or {}
    rows = [*package.get("blocker_criteria", []), *package.get("task_criteria", [])]
    return {row["key"]: row.get("description", "") for row in rows}


def _same(row: Criterion, description: str | None, spec: CriterionSpec) -> bool:
    return (
        row.stage == spec.stage
        and row.method == spec.method
        and row.command == spec.command
        and row.pattern == spec.pattern
        and row.url == spec.url
        and row.expected == spec.expected
        and row.expected_exit == spec.expected_exit_code
        and description == spec.description
    )


def _store(unit: Unit, facts: Facts, rewrite: _Rewrite) -> None:
    unit.store(*rewrite.draft.rows)
    unit.flush_content()


def _change(facts: Facts, actor: Caller, rewrite: _Rewrite) -> Change:
    checked, title, summary = rewrite.checked, rewrite.draft.title, rewrite.draft.summary
    fields: dict[str, Any] = {
        "package_n": facts.package_n + 1,
        "title": title,
        "mode": checked.mode,
        "labelset_id": rewrite.wordsets[0],
        "skillset_id": rewrite.wordsets[1],
    }
    if summary is not None:
        fields["summary"] = summary
    if "urgency" in checked.package:
        fields["urgency"] = checked.urgency
    data = {"package_version": facts.package_n + 1}
    return Change(fields=fields, data=data, by_claim=False)


def _rows_write(unit: Unit, facts: Facts, actor: Caller, rewrite: _Rewrite) -> None:
    n = facts.package_n + 1
    version = Package(
        org_id=facts.org_id,
        ticket_id=facts.id,
        n=n,
        content=rewrite.draft.package,
        author_id=actor.id,
        by_holder=facts.is_leased(unit.now) or facts.solver_id == actor.id,
        created_at=unit.now,
    )
    Package.unscoped.bulk_create([version])
    ticket = Ticket.objects.of(facts.org_id).get(id=facts.id)
    _criteria_write(ticket, rewrite, n)
    tags_drop(facts)
    tags_write(ticket, rewrite.checked.labels)


def _criteria_write(ticket: Ticket, rewrite: _Rewrite, n: int) -> None:
    rows = criterion_rows(ticket, rewrite.checked.criteria, n)
    if rewrite.unlocked:
        Criterion.objects.of(ticket.org_id).filter(ticket=ticket).delete()
        Criterion.unscoped.bulk_create(rows)
        return
    known = {row.key for row in rewrite.old}
    Criterion.unscoped.bulk_create([row for row in rows if row.key not in known])
