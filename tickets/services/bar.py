"""The bar of a ticket: its criteria and its mode, and who may still move them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from stuckbot.lib.caller import Caller
from stuckbot.lib.content import value_of
from stuckbot.lib.errors import Conflict, Invalid
from tickets.facts import Facts
from tickets.models import Package
from tickets.packages.check import CheckedPackage, CriterionSpec, criteria_of
from tickets.selectors import package_get

_FIXED: Final = (
    "The bar was fixed when work began: existing criteria and the mode stay as they are. "
    "Send them unchanged; you may add new criteria."
)
_COMPLETED: Final = (
    "The bar was fixed when the package was completed: existing criteria and the mode stay as they "
    "are. Send them unchanged; you may add new criteria."
)
_OF_OTHERS: Final = (
    "Somebody else set these, and whoever holds a ticket does not change by what it is judged. "
    "Send them unchanged; you may add what is missing."
)


def bar_is_open(facts: Facts, actor: Caller) -> bool:
    """The actor may change and remove criteria, not only add to them."""
    if facts.incomplete:
        return True
    return not facts.keeps_bar and facts.creator_id == actor.id


def bar_check(actor: Caller, facts: Facts, checked: CheckedPackage) -> None:
    """409 `criteria_locked` when the package moves what is not the actor's to move;
    `details.criteria` names it, with "mode" among the keys when it is the mode.

    While a ticket is incomplete its criteria may be set; an agent that holds it without having
    filed it keeps what others have set.
    """
    if not facts.incomplete:
        if not bar_is_open(facts, actor):
            stored = package_get(facts.id, facts.package_n, facts.org_id)
            said = _COMPLETED if facts.bar_fixed else _FIXED
            _kept_check(_value(stored), facts.mode, checked, said)
        return
    if actor.is_person or actor.id == facts.creator_id:
        return
    theirs = Package.objects.of(facts.org_id).filter(ticket_id=facts.id).exclude(author=actor.id)
    newest = theirs.select_related("content").order_by("-n").first()
    if newest is not None:
        package = _value(newest)
        _kept_check(package, package.get("mode"), checked, _OF_OTHERS)


def _value(stored: Package) -> dict[str, Any]:
    return value_of(stored.content.bytes, stored.content.key_id) or {}


def _kept_check(
    before: Mapping[str, Any], mode: str | None, checked: CheckedPackage, said: str
) -> None:
    changed = _changed_keys(criteria_of(before), checked.criteria)
    if mode not in (None, checked.mode):
        changed.append("mode")
    if changed:
        raise Conflict(said, code="criteria_locked", details={"criteria": changed})


def bar_changed(before: Mapping[str, Any], checked: CheckedPackage) -> frozenset[str]:
    """The keys of the criteria that the package drops, or that say something else in it, than in
    the version `before`."""
    return frozenset(_changed_keys(criteria_of(before), checked.criteria))


def _changed_keys(before: Sequence[CriterionSpec], after: Sequence[CriterionSpec]) -> list[str]:
    fresh = {spec.key: spec for spec in after}
    return [spec.key for spec in before if fresh.get(spec.key) != spec]


def complete_require(facts: Facts, missing: Sequence[str], failing: Sequence[str]) -> None:
    """The 422 of submitting or approving what nobody has said whole; the two lists are those of
    the criteria that there are."""
    if not facts.incomplete:
        return
    fields = ", ".join(facts.missing_fields)
    raise Invalid(
        f"{facts.ref} is incomplete. Add {fields} to its package with update_package first.",
        details={
            "missing_fields": facts.missing_fields,
            "missing": list(missing),
            "failing": list(failing),
        },
    )
