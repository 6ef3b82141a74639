"""`manage.py policy`: what it prints, what it changes, what it refuses."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.services.orgs import project_make
from policy.models import Policy
from policy.states import BUDGETS
from stuckbot.lib import clock
from stuckbot.lib.models import Audit
from tests.support import Desk


def run(*words: str) -> str:
    out = StringIO()
    call_command("policy", *words, stdout=out)
    return out.getvalue()


def told(*words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_it_prints_what_holds_and_where_it_comes_from(desk: Desk) -> None:
    project = project_make(org=desk.org, name="Strict", now=clock.now())
    org = f"--org={desk.org.id}"
    printed = run(org, "--blocker=agent", "--verifier-wait=30", "--different-connector")
    assert printed.startswith("Acme\n")
    for words in (
        "agent (Another agent checks)",
        "(set for the org)",
        "after 30 minutes",
        "automatic (Automatically)",
        "(the default)",
    ):
        assert words in printed
    narrow = told(org, f"--project={project.id}", "--task=agent_then_person", "--verifier-wait=off")
    assert narrow["org_id"] == str(desk.org.id)
    assert narrow["project_id"] == str(project.id)
    assert narrow["policy"] == {
        "blocker": {"value": "agent", "set_by": "org"},
        "task": {"value": "agent_then_person", "set_by": "project"},
        "verifier_wait_minutes": {"value": None, "set_by": "project"},
        "different_connector": {"value": True, "set_by": "org"},
        "different_provider": {"value": False, "set_by": "default"},
        "max_rejections": {"value": 3, "set_by": "default"},
        **{name: {"value": 0, "set_by": "default"} for pair in BUDGETS.values() for name in pair},
        "watchdog_minutes": {"value": 10, "set_by": "default"},
        "create_per_hour": {"value": 600, "set_by": "default"},
        "create_burst": {"value": 100, "set_by": "default"},
        "lease_minutes": {"value": 60, "set_by": "default"},
        "lease_minutes_most": {"value": 1440, "set_by": "default"},
    }
    assert told(org)["policy"]["task"] == {"value": "automatic", "set_by": "default"}


def test_it_sets_what_agents_may_use(desk: Desk) -> None:
    org = f"--org={desk.org.id}"
    printed = run(
        org,
        *("--tokens-soft=100000", "--tokens-hard=150000", "--cost-soft=2.5", "--cost-hard=10"),
        *("--runtime-hard=90", "--watchdog=off", "--create-per-hour=60", "--create-burst=5"),
    )
    for words in ("100,000", "150,000", "$2.50", "$10.00", "90 minutes", "no limit"):
        assert words in printed
    said = told(org, "--tokens-soft=off", "--cost-soft=inherit", "--watchdog=30")["policy"]
    assert said["budget_tokens_soft"] == {"value": 0, "set_by": "org"}
    assert said["budget_cost_soft"] == {"value": 0, "set_by": "default"}
    assert said["budget_cost_hard"] == {"value": 1000, "set_by": "org"}
    assert said["watchdog_minutes"] == {"value": 30, "set_by": "org"}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--tokens-soft=many"], "--tokens-soft: Give a whole number"),
        (["--cost-hard=2.505"], "--cost-hard: Give an amount"),
        (["--cost-hard=-1"], "--cost-hard: Give an amount"),
        (["--runtime-soft=1000000"], "--runtime-soft: Give whole minutes"),
        (["--watchdog=1"], "--watchdog: Give whole minutes from 2"),
        (["--create-burst=0"], "--create-burst: Give a whole number from 1"),
        (["--tokens-soft=9", "--tokens-hard=8"], "--tokens-hard: This must be no less"),
    ],
)
def test_it_says_what_an_agents_limit_may_be(desk: Desk, words: list[str], named: str) -> None:
    with pytest.raises(CommandError, match=re.escape(named)):
        run(f"--org={desk.org.id}", *words)
    assert not Policy.objects.of(desk.org.id).exists()


def test_a_stop_before_the_handoff_that_was_set_before_is_refused(desk: Desk) -> None:
    org = f"--org={desk.org.id}"
    run(org, "--tokens-soft=100")
    with pytest.raises(CommandError, match="no less than"):
        run(org, "--tokens-hard=99")
    run(org, "--tokens-hard=100")


@pytest.mark.django_db(transaction=True)  # bootstrap ends by closing its connection
def test_it_takes_the_ids_that_bootstrap_prints() -> None:
    out = StringIO()
    call_command("bootstrap", "--org=Acme", "--email=ana@acme.example", stdout=out)
    ids = dict(re.findall(r"Id of (the org|its project) +(\S+)", out.getvalue()))
    shown = run(f"--org={ids['the org']}", f"--project={ids['its project']}")
    assert shown.startswith("Acme, project Default\n")


def test_only_what_is_named_changes(desk: Desk) -> None:
    org = f"--org={desk.org.id}"
    run(org, "--blocker=person", "--task=person", "--max-rejections=5", "--different-provider")
    run(org, "--task=inherit", "--no-different-provider", "--verifier-wait=0")
    row = Policy.objects.of(desk.org.id).get()
    assert (row.blocker, row.task, row.max_rejections) == ("person", None, 5)
    assert (row.different_provider, row.verifier_wait_minutes) == (False, 0)
    run(org)
    assert Audit.objects.of(desk.org.id).filter(action__startswith="policy_").count() == 2
    run(org, "--clear")
    assert not Policy.objects.of(desk.org.id).exists()


def test_it_names_every_problem_at_once(desk: Desk) -> None:
    with pytest.raises(CommandError) as refused:
        run(
            *(f"--org={desk.org.id}", "--project=Strict", "--blocker=never", "--task="),
            *("--verifier-wait=soon", "--max-rejections=0", "--clear"),
        )
    assert str(refused.value).split("\n") == [
        "--project: give an id, as the admin and bootstrap print it, no name.",
        "--blocker: Choose one of automatic, agent, person, agent_then_person, or inherit.",
        "--task: Choose one of automatic, agent, person, agent_then_person, or inherit.",
        "--verifier-wait: Give whole minutes from 1 to 43,200 (30 days), off, or inherit.",
        "--max-rejections: Give a whole number from 1 to 100, or inherit.",
        "--clear: it takes all settings away, so give no other change with it.",
    ]
    assert not Policy.objects.of(desk.org.id).exists()


@pytest.mark.parametrize("value", ["-5", "1.5", "1e3", "²", "9" * 40, "43201", "30m"])
def test_a_wait_is_whole_minutes(desk: Desk, value: str) -> None:
    with pytest.raises(CommandError, match="--verifier-wait: Give whole minutes"):
        run(f"--org={desk.org.id}", f"--verifier-wait={value}")


def test_another_orgs_project_is_refused(desk: Desk, other: Desk) -> None:
    with pytest.raises(CommandError, match="Acme has no project of this id"):
        run(f"--org={desk.org.id}", f"--project={other.org.default_project_id}", "--task=person")
    with pytest.raises(CommandError, match="there is no org of this id"):
        run(f"--org={desk.org.default_project_id}")
