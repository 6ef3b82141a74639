"""What every test of outgoing requests may use."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.outgoing.authority import Authority
from tests.outgoing.world import World


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def world(authority: Authority) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(authority, stack)
