"""Every call of every release of the public client, in one life each, against a running desk."""

from pathlib import Path
from typing import Any

import pytest

from tests.interop.lives import CHECKS, PACKAGES, PROOF, REGISTRATION
from tests.interop.server import RELEASES, Server
from tests.interop.verifying import manage

_PROJECT = """
from accounts.models import Org
from accounts.services.orgs import project_make
from stuckbot.lib import clock
print(project_make(org=Org.objects.get(), name="Checked", now=clock.now()).id)
"""


@pytest.fixture(scope="module")
def checked(server: Server) -> dict[str, Any]:
    """A project whose finished tasks another agent checks."""
    project_id = manage(server, "shell", "-c", _PROJECT).split()[-1]
    org = server.org["org_id"]
    manage(server, "policy", "--org", org, "--project", project_id, "--task=agent")
    return {
        "project_id": project_id,
        "verifier_key": server.org["verifier_key"],
        "person_token": manage(server, "person_token", "--email", "alice@localhost").split()[-1],
    }


@pytest.mark.parametrize("release", RELEASES)
def test_it_lives_a_whole_life(
    server: Server, checked: dict[str, Any], tmp_path: Path, release: str
) -> None:
    label = f"life-{release}"
    told = server.run(
        "life.whole",
        release,
        **checked,
        state_file=str(tmp_path / "state.json"),
        registration=REGISTRATION,
        label=label,
        packages=PACKAGES | {"labelled": PACKAGES["plain"] | {"labels": [label]}},
        evidence=PROOF,
    )
    assert told["version"] == release
    for part, check in CHECKS.items():
        check(told[part], checked)
    assert set(told["operations"]) == set(told["known"])
    assert told["left_out"] == []
