"""What the desk answers to requests made from its own document: nothing but what it says there."""

import pytest
from hypothesis import HealthCheck, given, settings

from stuckbot.site.api import urls
from stuckbot.site.api.operations import OPERATIONS, Operation
from tests.document.made import Cast, Made, cases, cast_make, modes
from tests.matrix.scene import undone
from tests.support import Desk

assert urls.MODULES
#: The operations by the first part of their address: the desk is set up once for each.
GROUPS: dict[str, list[Operation]] = {}
for _one in OPERATIONS.values():
    GROUPS.setdefault(_one.path.strip("/").partition("/")[0] or "index", []).append(_one)
FEW, MANY = 4, 400


@pytest.fixture
def cast(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setattr("django.conf.settings.RATE_LIMIT", None)
    return cast_make(desk)


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_it_answers_as_it_says(group: str, cast: Cast) -> None:
    for chosen in GROUPS[group]:
        _try(chosen, cast, FEW, by_chance=False)


@pytest.mark.deep
@pytest.mark.parametrize("chosen", OPERATIONS.values(), ids=lambda one: one.id)
def test_it_answers_as_it_says_for_long(chosen: Operation, cast: Cast) -> None:
    _try(chosen, cast, MANY, by_chance=True)


def _try(chosen: Operation, cast: Cast, count: int, *, by_chance: bool) -> None:
    with_care = settings(
        max_examples=count,
        derandomize=not by_chance,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    for mode in modes(chosen):
        with_care(given(cases(chosen.id, mode, cast))(_send))()


def _send(made: Made) -> None:
    with undone():
        made.send()
