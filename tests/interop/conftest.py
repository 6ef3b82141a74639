"""One server for all programs of the public client."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop.server import Server, served
from tests.interop.verifying import manage


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("interop")) as running:
        # All these agents are newcomers of one connector, which are counted together.
        manage(running, "policy", "--org", running.org["org_id"], "--create-burst", "1000")
        yield running


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a short name, since the name of a socket has at most 108 bytes."""
    with tempfile.TemporaryDirectory(prefix="desk-") as folder:
        yield Path(folder)
