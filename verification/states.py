"""The enums of verification; no ORM."""

from typing import Final

from django.db.models import TextChoices

#: The timer of a job whose policy asks a person when no verifier came.
VERIFIER_WAIT: Final = "verifier_wait"
#: The timer of a job that waited for the desk's checks, of which none is left to wait for.
CHECKS_OVER: Final = "checks_over"


class Result(TextChoices):
    PASS = "pass", "pass"
    FAIL = "fail", "fail"
    WAITING = "waiting", "waiting"
    UNCHECKED = "unchecked", "unchecked"


class Trust(TextChoices):
    SELF_REPORTED = "self_reported", "Self-reported"
    PLATFORM_CHECKED = "platform_checked", "Checked by StuckBot"
    VERIFIER_CONFIRMED = "verifier_confirmed", "Verifier confirmed"
    PERSON_APPROVED = "person_approved", "Approved by a person"
    CUSTOMER_VERIFIED = "customer_verified", "Signed by your verifier"


class CheckStatus(TextChoices):
    """How far the desk is with opening a criterion's url."""

    WAITING = "waiting", "waiting"
    PASSED = "passed", "passed"
    FAILED = "failed", "failed"
    UNCHECKED = "unchecked", "unchecked"
    SUPERSEDED = "superseded", "superseded"


class VerificationState(TextChoices):
    WAITING_CHECKS = "waiting_checks", "waiting for checks"
    WAITING_AGENT = "waiting_agent", "waiting for another agent"
    WAITING_PERSON = "waiting_person", "waiting for a person"
    APPROVED = "approved", "approved"
    REJECTED = "rejected", "rejected"
    CANCELLED = "cancelled", "cancelled"


WAITING = (
    VerificationState.WAITING_CHECKS,
    VerificationState.WAITING_AGENT,
    VerificationState.WAITING_PERSON,
)
