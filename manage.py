#!/usr/bin/env python3
"""The command line of the desk: `manage.py serve`, `bootstrap`, `check` and the rest."""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line

from stuckbot.lib.environment import BadSetting
from stuckbot.lib.logs import stderr_mask


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stuckbot.settings")
    try:
        # Read the settings before any command does, so that a bad value is one line, no traceback.
        bool(settings.DEBUG)
    except BadSetting as fault:
        sys.exit(f"Cannot start: {fault}")
    stderr_mask()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
