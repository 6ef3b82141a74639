"""What a ticket is found by. All of it follows from the ticket, and can be made anew at any time.

The words themselves stand beside `SearchDoc`: on PostgreSQL in its column `lexemes`, on SQLite in
the FTS5 table `tickets_searchwords`; a row of either goes with its `SearchDoc`.
"""

from typing import ClassVar

from django.db import models

from accounts.models import Org
from stuckbot.lib.tenancy import OrgOwned


class SearchOrg(OrgOwned):
    """The org's number in the ids of `SearchDoc`: they are one range an org, newest last."""

    org = models.OneToOneField(Org, on_delete=models.CASCADE, primary_key=True, related_name="+")
    slot = models.IntegerField(unique=True)

    def __str__(self) -> str:
        return f"{self.org_id} is {self.slot}"


class SearchDoc(OrgOwned):
    """A ticket that is found. Its id holds the org's slot and the ticket's number.

    `stems` are what its problem is known by (`tickets.search.stems`), with spaces between.
    """

    id = models.BigIntegerField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+", db_index=False)
    ticket = models.OneToOneField("tickets.Ticket", on_delete=models.CASCADE, related_name="+")
    stems = models.TextField(default="")

    def __str__(self) -> str:
        return f"words of {self.ticket_id}"


class SearchCount(OrgOwned):
    """How many of the org's tickets know their problem by a stem, counted in buckets of its hash:
    no word can be read from it, and it does not grow."""

    pk = models.CompositePrimaryKey("org_id", "bucket")
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+", db_index=False)
    bucket = models.IntegerField()
    number = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.number} in {self.bucket}"


class SearchLike(OrgOwned):
    """Two tickets that look like the same problem; a row each way. `score`: a thousand is the same
    words."""

    id = models.BigAutoField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+", db_index=False)
    ticket = models.ForeignKey(
        "tickets.Ticket", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    other = models.ForeignKey("tickets.Ticket", on_delete=models.CASCADE, related_name="+")
    score = models.IntegerField()

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "other"], name="searchlike_pair"),
        ]
        indexes: ClassVar = [
            models.Index(
                models.F("ticket"),
                models.F("score").desc(),
                models.F("id").desc(),
                name="searchlike_best",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ticket_id} looks like {self.other_id}"
