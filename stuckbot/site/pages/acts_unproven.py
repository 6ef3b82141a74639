"""What a submission still lacks, in the words of who wrote the checks."""

from typing import Final

from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stuckbot.lib.errors import Refusal
from stuckbot.site.pages.proof import criterion_described
from tickets.cards import Card
from tickets.models import Criterion
from tickets.selectors import criteria_list

#: As many checks are named, each by so many letters.
_NAMED: Final = 3
_LETTERS: Final = 100


def unproven_words(card: Card, refusal: Refusal) -> str:
    """Which checks lack proof, and whose proof does not pass; nothing for another refusal."""
    missing, failing = (refusal.details.get(name) or [] for name in ("missing", "failing"))
    if not missing and not failing:
        return ""
    rows = {row.key: row for row in criteria_list(card.facts.id, card.facts.org_id)}
    said = []
    if missing:
        said.append(_("No proof yet: %(checks)s.") % {"checks": _named(card, rows, missing)})
    if failing:
        said.append(_("Proof does not pass: %(checks)s.") % {"checks": _named(card, rows, failing)})
    return " ".join(said)


def _named(card: Card, rows: dict[str, Criterion], keys: list[str]) -> str:
    """The first few in quotes, and how many others there are."""
    words = [criterion_described(card, rows[key]) for key in keys[:_NAMED] if key in rows]
    named = ", ".join(f"“{Truncator(one).chars(_LETTERS)}”" for one in words)
    others = len(keys) - len(words)
    if not others:
        return named
    more = ngettext("%(count)d more", "%(count)d more", others) % {"count": others}
    return f"{named}, {more}" if named else more
