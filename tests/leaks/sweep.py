"""The desk's sweep, with the kind of timer that fails known to it."""

from stuckbot.site import tasks
from tests.leaks import failing

assert "leak" in tasks.WORK
sweep = tasks.sweep
fail = failing.fail
