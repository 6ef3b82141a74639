"""A ticket's own facts, as one plain read brings them, and what follows from them; no ORM."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from tickets.states import LEASED, State, freed, is_closed


class Facts(NamedTuple):
    """Codes and times of one ticket row, in the order of `FACT_COLUMNS`."""

    id: UUID
    org_id: UUID
    project_id: UUID
    number: int
    root_id: UUID
    parent_id: UUID | None
    depth: int
    state: str
    version: int
    attempt: int
    mode: str
    urgency: int
    creator_id: UUID
    solver_id: UUID | None
    reserved_for_id: UUID | None
    paused_at: datetime | None
    project_paused_at: datetime | None
    incomplete: bool
    missing: str
    bar_fixed: bool
    blocked_since: datetime | None
    loop_since: datetime | None
    waits_for: str
    gating_asks: int
    open_deps: int
    claim_id: UUID | None
    lease_until: datetime | None
    lease_seconds: int
    verifier_id: UUID | None
    verifier_until: datetime | None
    rejections_from: int
    live_until: datetime | None
    ever_claimed: bool
    package_n: int
    proven: bool
    assurance: str
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None

    @property
    def ref(self) -> str:
        return f"SB-{self.number}"

    @property
    def is_closed(self) -> bool:
        return is_closed(self.state, self.mode)

    @property
    def missing_fields(self) -> list[str]:
        """What the package lacks while the ticket is incomplete."""
        return self.missing.split(",") if self.missing else []

    @property
    def keeps_bar(self) -> bool:
        """The criteria that there are stay: somebody has begun, or the package was completed."""
        return (self.ever_claimed and not self.incomplete) or self.bar_fixed

    def is_expired(self, now: datetime) -> bool:
        """The lease ran out and nobody has written it down yet."""
        return self.lease_until is not None and self.lease_until <= now

    def state_at(self, now: datetime) -> str:
        """The state as every reader must see it, before any sweep comes."""
        return freed(self.state) if self.is_expired(now) else self.state

    def is_leased(self, now: datetime) -> bool:
        return self.state in LEASED and not self.is_expired(now)

    def holder(self, now: datetime) -> UUID | None:
        """Who holds the ticket now, by a lease that runs."""
        return self.solver_id if self.is_leased(now) else None

    def verifier(self, now: datetime) -> UUID | None:
        """Who checks the fix now, as long as they hold the job."""
        runs = self.verifier_until is not None and self.verifier_until > now
        return self.verifier_id if runs else None

    def listeners(self, now: datetime) -> tuple[UUID | None, ...]:
        """Who hears of what happens on the ticket: its creator, whoever holds it or solved it last,
        whoever it is kept for, and whoever checks the fix now."""
        return (self.creator_id, self.solver_id, self.reserved_for_id, self.verifier(now))

    @property
    def stage(self) -> str:
        """The stage that is being worked on, or would be next."""
        task = self.state in (State.CONTINUING, State.TASK_REVIEW)
        return "task" if task or (self.proven and self.mode != "blocker_only") else "blocker"


#: The columns of `Facts`, as `values_list` wants them.
FACT_COLUMNS: tuple[str, ...] = tuple(
    "project__paused_at" if name == "project_paused_at" else name for name in Facts._fields
)


def own_red(
    *,
    state: str,
    blocked: bool,
    waits_for: str,
    gating_asks: int,
    paused: bool,
    incomplete: bool,
    looping: bool = False,
) -> str | None:
    """The code of the first cause of red that is the ticket's own, in the order shown."""
    causes = (
        (blocked, "blocked"),
        (state == State.NEEDS_HUMAN, "needs_human"),
        (waits_for == "person", "waits_for_person"),
        (gating_asks > 0, "open_ask"),
        (paused, "paused"),
        (incomplete, "incomplete"),
        (looping, "loop_suspected"),
    )
    return next((code for holds, code in causes if holds), None)


def offer_time(
    *, state: str, mode: str, red: str | None, lease_until: datetime | None, now: datetime
) -> datetime | None:
    """When the ticket may be offered: now, when its lease ends, or never as things stand."""
    if red is not None or is_closed(state, mode):
        return None
    if state in LEASED:
        return lease_until
    return now if state in (State.OPEN, State.BLOCKER_RESOLVED) else None
