"""What agents of the demo are asked for: by a person, and by the desk for what they used."""

from datetime import datetime, timedelta
from typing import Final

from accounts.models import Agent
from stuckbot.site.demo.cast import Cast
from stuckbot.site.usecases.agent_request import agent_request
from stuckbot.site.usecases.budgets import budgets_apply

#: Who asks whom for what, how many minutes ago, in which words.
ASKED: Final = (
    (
        "priya",
        "ci-7",
        "handoff",
        2,
        "The build machines are rebuilt tonight. Write down where you are, please.",
    ),
)
#: Who went past the budget, minutes ago.
SPENT: Final = (("app-tester", 12),)


def asked(cast: Cast, now: datetime) -> None:
    """None of them has answered yet."""
    for name, minutes in SPENT:
        caller = cast.callers[name]
        totals = Agent.objects.of(cast.org.id).get(id=caller.id).usage
        budgets_apply(actor=caller, totals=totals, now=now - timedelta(minutes=minutes))
    for who, name, kind, minutes, words in ASKED:
        agent_request(
            actor=cast.callers[who],
            agent_id=cast.callers[name].id,
            kind=kind,
            message=words,
            now=now - timedelta(minutes=minutes),
        )
