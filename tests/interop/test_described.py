"""What the document and docs/clients.md say of the public client's operations, in each release."""

import ast
import re

import pytest

from tests import truth
from tests.interop.server import RELEASES, ROOT, client_of

#: It comes with data stores.
LATER = {"get_grant_keys"}
ROW = re.compile(r"\| `(\w+)` \| (\w+) `([^`]+)` \| ([\d.]+) \| (.+) \|")


def operations_of(release: str) -> dict[str, tuple[str, str]]:
    """The table of calls in a release's source, read without running it."""
    source = (client_of(release) / "stuckbot" / "client.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "OPERATIONS":
            found: dict[str, tuple[str, str]] = ast.literal_eval(node.value)
            return found
    raise LookupError(f"{release} has no table of its calls.")


def _shape(method: str, path: str) -> tuple[str, str]:
    return method.upper(), re.sub(r"\{\w+\}", "{}", path)


@pytest.mark.parametrize("release", RELEASES)
def test_the_document_names_each(release: str) -> None:
    served = {
        described["operationId"]: _shape(method, path)
        for path, methods in truth.spec()["paths"].items()
        for method, described in methods.items()
    }
    known = operations_of(release)
    assert len(known) >= 34
    for name in set(known) - LATER:
        assert served.get(name) == _shape(*known[name]), name
    assert LATER.isdisjoint(served)


def test_the_page_about_clients_is_true() -> None:
    text = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    rows = {name: rest for name, *rest in ROW.findall(text)}
    newest = operations_of(RELEASES[-1])
    assert list(rows) == list(newest)
    for name, (method, path, since, words) in rows.items():
        assert (method, path) == newest[name]
        assert since == next(one for one in RELEASES if name in operations_of(one))
        assert words.endswith(".")
