"""One server for all programs of the public client."""

from collections.abc import Iterator

import pytest

from tests.interop.server import Server, served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("interop")) as running:
        yield running
