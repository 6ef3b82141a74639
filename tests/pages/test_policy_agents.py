"""The part of the policy page that is about agents."""

from typing import Any

import pytest

from policy.services.policies import Reach
from stuckbot.site.pages.policy_agents import AGENTS
from tests.pages.test_people import page, signed_in
from tests.pages.test_policy import DEFAULTS, INHERITS, hidden, put, row, strict
from tests.support import Desk

__all__ = ["strict"]
EMPTY = dict.fromkeys(AGENTS, "")
ORG = DEFAULTS | EMPTY | {"watchdog_minutes": "10", "create_per_hour": "600", "create_burst": "100"}
PROJECT = INHERITS | EMPTY


def _folded(text: str) -> bool:
    return '<details class="fold" id="agents" >' in text


def test_it_is_folded_until_something_is_set(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    assert _folded(page(client, "/policy"))
    put(desk, budget_tokens_soft=1000)
    assert not _folded(page(client, "/policy"))


def test_what_is_filled_in_is_saved_in_its_own_unit(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    sent = {"budget_tokens_soft": "100000", "budget_cost_hard": "12.5", "watchdog_minutes": "0"}
    answer = client.post("/policy/save", ORG | sent | hidden(page(client, "/policy")))
    assert answer.status_code == 303
    saved = row(desk)
    assert (saved.budget_tokens_soft, saved.budget_cost_hard) == (100_000, 1250)
    assert (saved.watchdog_minutes, saved.create_per_hour) == (0, None)
    text = page(client, "/policy")
    for words in ('value="100000"', 'value="12.50"'):
        assert words in text
    read = page(signed_in(desk, "carol"), "/policy")
    for words in ("100,000 tokens", "$12.50", "Never", "No limit", "600"):
        assert words in read


def test_emptied_it_is_the_default_again(desk: Desk) -> None:
    put(desk, budget_tokens_soft=5, watchdog_minutes=30)
    client = signed_in(desk, "alice")
    sent = ORG | {"watchdog_minutes": ""} | hidden(page(client, "/policy"))
    assert client.post("/policy/save", sent).status_code == 303
    saved = row(desk)
    assert (saved.budget_tokens_soft, saved.watchdog_minutes) == (None, None)


def test_a_form_without_these_fields_leaves_them(desk: Desk) -> None:
    put(desk, budget_tokens_soft=5, watchdog_minutes=30)
    client = signed_in(desk, "alice")
    sent = DEFAULTS | {"task": "person"} | hidden(page(client, "/policy"))
    assert client.post("/policy/save", sent).status_code == 303
    saved = row(desk)
    assert (saved.task, saved.budget_tokens_soft, saved.watchdog_minutes) == ("person", 5, 30)


def test_a_project_inherits_or_lifts_a_limit(desk: Desk, strict: Any) -> None:
    put(desk, budget_tokens_soft=1000, budget_tokens_hard=2000)
    client, path = signed_in(desk, "alice"), f"/policy/projects/{strict.id}"
    text = page(client, path)
    assert "(1,000 tokens). 0 is no limit." in text
    assert client.post(f"{path}/save", PROJECT | hidden(text)).status_code == 303
    assert row(desk, strict) is None
    client.post(f"{path}/save", PROJECT | {"budget_tokens_hard": "0"} | hidden(text))
    assert row(desk, strict).budget_tokens_hard == 0
    text = page(client, path)
    assert not _folded(text)
    assert 'name="budget_tokens_hard" value="0"' in text
    assert "Tokens: stop it at: No limit" in page(client, "/policy")


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"budget_tokens_soft": "-1"}, "greater than or equal to 0"),
        ({"budget_tokens_soft": "1e400"}, "Enter a whole number"),
        ({"budget_cost_soft": "1.234"}, "no more than 2 decimal places"),
        ({"budget_cost_soft": "NaN"}, "Enter a number"),
        ({"budget_runtime_soft": "99999999"}, "less than or equal to 525600"),
        ({"watchdog_minutes": "1"}, "Give at least 2 minutes"),
        ({"create_burst": "0"}, "greater than or equal to 1"),
        ({"budget_tokens_soft": "9", "budget_tokens_hard": "8"}, "no less than"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(desk: Desk, sent: dict[str, str], told: str) -> None:
    client = signed_in(desk, "alice")
    answer = client.post("/policy/save", ORG | sent | hidden(page(client, "/policy")))
    text = answer.content.decode()
    assert answer.status_code == 422
    assert told in text
    assert not _folded(text)
    assert row(desk) is None


def test_a_stop_below_what_the_row_asks_a_handoff_for_is_refused(desk: Desk, strict: Any) -> None:
    put(desk, Reach(strict.id), budget_tokens_soft=100)
    client, path = signed_in(desk, "alice"), f"/policy/projects/{strict.id}"
    both = {"budget_tokens_soft": "100", "budget_tokens_hard": "99"}
    answer = client.post(f"{path}/save", PROJECT | both | hidden(page(client, path)))
    assert answer.status_code == 422
    assert row(desk, strict).budget_tokens_hard is None
