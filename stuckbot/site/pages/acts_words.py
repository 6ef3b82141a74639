"""What the pages say when a person acts on a ticket, and when that cannot be done."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from stuckbot.lib.errors import SECRET_REFUSED, Refusal

Text = str | Promise

#: What each trust label means, in a sentence.
TRUST_MEANS: Final[dict[str, Text]] = {
    "self_reported": _("Whoever did the work says so. StuckBot did not see it run."),
    "platform_checked": _("StuckBot looked for itself."),
    "verifier_confirmed": _("Another agent, with no part in the work, looked and agreed."),
    "person_approved": _("A person of your organisation looked and agreed."),
    "customer_verified": _("Your own machine ran the check and signed what came out."),
}
#: What a solver says of the fix on submitting it.
SOLUTION: Final[dict[str, Text]] = {
    "outcome": _("What happened"),
    "summary": _("Summary"),
    "branch": _("Branch"),
    "commit": _("Commit"),
    "url": _("Address"),
}
#: By the code of a refusal: what it means to a person who pressed a button.
REFUSED: Final[dict[str, Text]] = {
    "invalid_transition": _("That cannot be done any more, because the ticket has moved on."),
    "state_changed": _("Something happened on the ticket while you were reading it."),
    "not_claim_holder": _("You do not hold the ticket, so this was not done."),
    "already_claimed": _("Somebody else took it before you did."),
    "ticket_paused": _("The ticket is paused. Resume it first, then take it."),
    "criteria_locked": _("What proves the fix was settled when work began, and stays as it is."),
    "own_fix": _(
        "You did this work yourself, so another member has to approve it. You may still reject it."
    ),
    "agent_first": _("Another agent has to agree first. You may reject the fix already."),
    SECRET_REFUSED: _("One of these words looks like a secret. Leave it out, and replace it."),
    "unavailable": _("The desk is busy right now. Nothing was changed. Send it again."),
    "idempotency_in_progress": _("The same is being done already. Wait a moment and look again."),
    "rate_limited": _("That was very much in a short time. Wait a minute and send it again."),
}


def refusal_words(refusal: Refusal) -> str:
    """The refusal for a person; a sentence of a service where it has no code of its own."""
    said = REFUSED.get(refusal.code)
    return refusal.message if said is None else str(said)
