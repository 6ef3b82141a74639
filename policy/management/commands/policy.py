"""Shows who must agree to a fix in an org or a project, and changes it."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Org, Project
from accounts.services.orgs import system_caller
from policy.asked import Asked, asked_read, ids_read
from policy.selectors import policies_get
from policy.services.policies import Reach, policy_clear, policy_set
from policy.shown import as_json, as_text
from stuckbot.lib import clock
from stuckbot.lib.errors import Refusal

_APPROVALS: Final = "automatic, agent, person, agent_then_person, or inherit"


class Command(BaseCommand):
    help = (
        "Show who must agree to a fix in an org, or in one of its projects, what its agents may"
        " use, and where each setting comes from; with options, change it first. A change holds"
        " for what is submitted from then on. `inherit` gives a setting back to the org, or to the"
        " default."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        # Values are read by `asked_read`, which names every problem at once.
        parser.add_argument("--org", required=True, help="the org's id")
        parser.add_argument("--project", help="the id of a project of it")
        parser.add_argument("--blocker", metavar="WHO", help=f"blocker fixes: {_APPROVALS}")
        parser.add_argument("--task", metavar="WHO", help=f"finished tasks: {_APPROVALS}")
        parser.add_argument(
            "--verifier-wait",
            metavar="MINUTES",
            help="ask a person when no verifier decided for so long: minutes, off, or inherit",
        )
        _switch(parser, "connector", "the verifier must come from a different connector")
        _switch(parser, "provider", "the verifier must be of a different model provider")
        parser.add_argument(
            "--max-rejections",
            metavar="COUNT",
            help="so many rejected fixes bring the ticket to a person; or inherit",
        )
        _numbers(parser)
        parser.add_argument(
            "--clear", action="store_true", help="take away all that is set for it: it inherits"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        asked, faults = asked_read(options)
        org, project, strange = _found(options)
        if faults := [*strange, *faults]:
            raise CommandError("\n".join(faults))
        assert org is not None
        try:
            self._change(org, project, asked)
        except Refusal as refused:
            raise CommandError(refused.message) from refused
        self._show(org, project, as_object=options["json"])

    def _change(self, org: Org, project: Project | None, asked: Asked) -> None:
        desk, now = system_caller(org.id), clock.now()
        reach = Reach(project.id if project else None)
        if asked.clear:
            policy_clear(actor=desk, now=now, reach=reach)
        elif asked.changes:
            policy_set(actor=desk, changes=asked.changes, now=now, reach=reach)

    def _show(self, org: Org, project: Project | None, *, as_object: bool) -> None:
        policies = policies_get(actor=system_caller(org.id))
        holds = policies.of_project(project.id) if project else policies.of_org()
        shown = as_json if as_object else as_text
        self.stdout.write(shown(org, project, holds))


def _numbers(parser: CommandParser) -> None:
    """What holds for agents; each is a number, off where there may be none, or inherit."""
    budgets = (("tokens", "TOKENS"), ("cost", "DOLLARS"), ("runtime", "MINUTES"))
    for name, unit in budgets:
        words = f"at so many {unit.lower()} an agent is"
        parser.add_argument(f"--{name}-soft", metavar=unit, help=f"{words} asked to hand off")
        parser.add_argument(f"--{name}-hard", metavar=unit, help=f"{words} told to stop")
    silence = "free what an agent with a watchdog holds once it was silent for so long"
    parser.add_argument("--watchdog", metavar="MINUTES", help=silence)
    parser.add_argument(
        "--create-per-hour", metavar="COUNT", help="tickets an agent may file an hour"
    )
    parser.add_argument("--create-burst", metavar="COUNT", help="tickets an agent may file at once")


def _switch(parser: CommandParser, name: str, words: str) -> None:
    group = parser.add_mutually_exclusive_group()
    target = f"different_{name}"
    group.add_argument(
        f"--different-{name}", dest=target, action="store_const", const=True, help=words
    )
    group.add_argument(
        f"--no-different-{name}", dest=target, action="store_const", const=False, help="it need not"
    )


def _found(options: dict[str, Any]) -> tuple[Org | None, Project | None, list[str]]:
    """The org and the project that are meant, and what is wrong with their ids."""
    org_id, project_id, faults = ids_read(options)
    org = Org.objects.filter(id=org_id).first() if org_id else None
    if org_id and org is None:
        faults.append("--org: there is no org of this id. The admin lists them.")
    project = None
    if org is not None and project_id:
        project = Project.objects.of(org.id).filter(id=project_id).first()
        if project is None:
            faults.append(f"--project: {org.name} has no project of this id. The admin lists them.")
    return org, project, faults
