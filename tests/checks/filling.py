"""Run by itself, over the database of a running desk: checks that are due, a name's in turn."""

import json
import os
import sys

import django
from django.test.utils import setup_test_environment


def main(names: list[str], count: int) -> None:
    from accounts.states import Role
    from tests.checks.bench import Opened
    from tests.checks.queued import queue
    from tests.support import make_desk

    desk = make_desk("Busy", {"alice": Role.OWNER})
    looked = Opened(desk, desk.agent("stuck"), desk.agent("solver"))
    looked.begin()
    looked.report()
    looked.check.delete()
    queue(looked, [names[number % len(names)] for number in range(count)])


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stuckbot.settings")
    django.setup()
    setup_test_environment()
    main(json.loads(sys.argv[1]), int(sys.argv[2]))
