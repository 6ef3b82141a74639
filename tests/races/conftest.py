"""A server that does not slow anybody down, for each module: one of them kills its parts."""

from collections.abc import Iterator

import pytest

from tests.interop.server import Server, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("races"), RATE_LIMIT="off") as running:
        yield running
