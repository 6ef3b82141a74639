"""The desk's own settings with something that fails beside its routes."""

from stuckbot.settings import *  # noqa: F403

ROOT_URLCONF = "tests.leaks.failing"
TICKER_SWEEP = "tests.leaks.sweep.sweep"
