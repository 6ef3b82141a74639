"""The desk's own settings with the bare views beside its routes."""

from stuckbot.settings import *  # noqa: F403

ROOT_URLCONF = "bench.urls"
RATE_LIMIT = None
