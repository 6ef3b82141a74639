"""What agents wrote, beside our own words: lines with a label, criteria as they were put."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from stuckbot.site.pages.acts_words import Text
from stuckbot.site.pages.url_words import why
from stuckbot.site.usecases.sight import Proof

#: Longer ones are read as a text.
_NUMBER_MOST: Final = 12


@dataclass(frozen=True, slots=True)
class Line:
    """A label with text that an agent wrote."""

    label: Text
    text: str

    @property
    def is_number(self) -> bool:
        return self.text.lstrip("-").isdecimal() and len(self.text) < _NUMBER_MOST


def described(package: Mapping[str, Any]) -> dict[str, str]:
    """What each criterion of the package wants, by its key."""
    listed = [*package.get("blocker_criteria", ()), *package.get("task_criteria", ())]
    return {one["key"]: one["description"] for one in listed if "key" in one}


def unproved_described(proof: Proof) -> dict[str, str]:
    """What rests on whoever approves the stage in hand: could not be checked, each with why, or is
    a person's."""
    said, stand = described(proof.package), proof.stand
    found = {key: said.get(key) or key for key in (*stand.unchecked, *stand.manual)}
    for key in stand.unchecked:
        look = proof.counts[key].url_check
        if look is not None:
            told = _("%(wish)s (could not be checked: %(why)s)")
            found[key] = told % {"wish": found[key], "why": why(look.reason).short}
    return found
