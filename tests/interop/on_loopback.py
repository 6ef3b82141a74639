"""`manage.py` for a desk whose checker finds a made-up network on loopback instead of the internet.

What it is led to, in JSON: `ca_file`, `names` with their addresses, `ports` of the addresses.
"""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "TEST_NETWORK"


def main() -> None:
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stuckbot.settings")
    import django
    from django.core.management import execute_from_command_line

    django.setup()
    from stuckbot.site.server import checker
    from tests.outgoing.faked import Faked

    told = json.loads(os.environ[VARIABLE])
    faked = Faked(Path(told["ca_file"]), told["names"], told["ports"])
    checker._probe = faked.probe
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
