"""The resolver of the system with a real name server behind it, silent or lying."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from stuckbot.lib.outgoing.names import LOOKUPS_AT_ONCE

ROOT = Path(__file__).resolve().parents[2]
#: A view of the files of its own, so that nobody else's names are touched.
PROGRAM = 'mount --bind "$1" /etc/resolv.conf && exec "$2" -m tests.outgoing.name_server'


#: A user of its own may do so where the kernel lets anybody make one; some containers do not.
APART = ["unshare", "--map-root-user", "--mount", "--net"]


@pytest.mark.services
def test_it_holds_with_a_real_name_server(tmp_path: Path) -> None:
    tried = subprocess.run([*APART, "true"], capture_output=True, text=True)
    if tried.returncode:
        told = f"NOT TESTED: this kernel permits no name server of one's own: {tried.stderr}"
        warnings.warn(told, stacklevel=1)
        return
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.9\n")
    done = subprocess.run(
        [*APART, "sh", "-c", PROGRAM, "sh", str(resolver), sys.executable],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "stuckbot.settings", "DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["became"] == {
        "public": "refused_connection 93.184.216.34",
        "gone": "no_such_name ",
        "empty": "no_such_name ",
        "broken": "name_timeout ",
        "private": "not_public",
        "mixed": "not_public",
        "mixed6": "not_public",
        "mapped": "not_public",
        "rebind": "refused_connection 93.184.216.34",
        "rebind again": "not_public",
    }
    assert said["asked"] == 1
    assert said["took"] < 5
    assert said["left"] == LOOKUPS_AT_ONCE
