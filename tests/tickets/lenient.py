"""Incomplete tickets for the tests: filed as a signal files them, by the service itself."""

from typing import Any

from accounts.sign_in import ACTING_KINDS, sign_in
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from tests.support import Api
from tickets.services.create import ticket_create


def caller_of(api: Api) -> Caller:
    return sign_in(f"Bearer {api.token}", kinds=ACTING_KINDS, now=clock.now()).caller


def file_incomplete(api: Api, package: Any, **options: Any) -> dict[str, Any]:
    """Files whatever there is and returns the detail as the filer reads it."""
    filed = ticket_create(
        actor=caller_of(api), package=package, lenient=True, now=clock.now(), **options
    )
    return api.get(f"/api/v1/tickets/{filed.ticket.id}").ok()["ticket"]  # type: ignore[no-any-return]
