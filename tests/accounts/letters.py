"""Mails that wait to be sent, as their receivers will read them."""

import re
from dataclasses import dataclass

from stuckbot.lib.models import Mail
from stuckbot.lib.sealing import text_open


@dataclass(frozen=True)
class Waiting:
    to: str
    subject: str
    text: str

    @property
    def link(self) -> str:
        """The path of the first link that is more than the desk's own address."""
        found = re.search(r"https?://[^/\s]+(/\S+)", self.text)
        assert found is not None, self.text
        return found[1]


def waiting() -> list[Waiting]:
    """Oldest first."""
    rows = Mail.objects.exclude(letter="").order_by("created_at", "id")
    return [Waiting(*text_open(row.letter).split("\n", 2)) for row in rows]


def newest() -> Waiting:
    return waiting()[-1]
