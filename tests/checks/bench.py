"""A ticket whose criterion names a url, and a checker at hand, for tests of the desk's checks."""

from datetime import timedelta
from typing import Any

from stuckbot.lib import clock
from stuckbot.lib.outgoing import Answered, Refused, Result, Unanswered
from stuckbot.site.usecases.url_check import url_checked
from tests.support import Api, Desk
from tests.verification.bench import CHECK, Review
from verification.models import Evidence, UrlCheck
from verification.services.url_queue import checks_take

URL = CHECK["url"]
FINE = Answered(200, "93.184.216.34", 120, False)
BROKEN = Answered(500, "93.184.216.34", 90, False)
SILENT = Unanswered("timeout", "93.184.216.34", 10_000, False)
PRIVATE = Refused("not_public")


class Opened(Review):
    """`b1` is to be opened by the desk; more criteria come after it."""

    def __init__(
        self, desk: Desk, creator: Api, solver: Api, *more: dict[str, Any], **kinds: Any
    ) -> None:
        stage = kinds.get("stage", "blocker")
        super().__init__(desk, creator, solver, stage=stage, criteria=[CHECK, *more])

    def report(self, api: Api | None = None, key: str = "", url: str = URL) -> Any:
        """The solver says that the desk may look."""
        sent = {"criterion": key or self.key, "type": "external_check", "payload": {"url": url}}
        return (api or self.solver).post(f"{self.path}/evidence", sent).ok(201)["evidence"]

    def hand_in(self) -> None:
        self.solver.post(f"{self.path}/submit", {"stage": self.stage}).ok()

    @property
    def checks(self) -> list[UrlCheck]:
        rows = UrlCheck.objects.of(self.desk.org.id).filter(ticket_id=self.row.id)
        return list(rows.order_by("created_at", "id"))

    @property
    def check(self) -> UrlCheck:
        return self.checks[-1]

    @property
    def found(self) -> list[Evidence]:
        """The desk's own evidence, oldest first."""
        rows = Evidence.objects.of(self.desk.org.id).filter(ticket_id=self.row.id)
        return list(rows.filter(by=self.desk.org.id).order_by("seq"))

    def shown(self) -> Any:
        return self.solver.get(self.path).ok()["ticket"]

    def standing(self, key: str = "") -> str:
        rows = {one["key"]: one["status"] for one in self.shown()["criteria"]}
        return str(rows[key or self.key])


def taken() -> UrlCheck:
    """The one check that is due, as a checker takes it."""
    (check,) = checks_take(clock.now(), 32)
    return check


def tries_over() -> None:
    """The next try of a criterion begins once the one before it is over for sure."""
    UrlCheck.unscoped.update(tried_at=clock.now() - timedelta(seconds=20))


def opened(seen: Result) -> UrlCheck:
    """A checker opens what is due, and this is what it sees."""
    check = taken()
    url_checked(check, seen)
    return check
