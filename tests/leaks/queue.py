"""Run by a test in a process of its own: queues a task that fails, and a timer that does."""

import django

django.setup()

from django_q.tasks import async_task  # noqa: E402

from accounts.models import Org  # noqa: E402
from stuckbot.lib import clock, ids  # noqa: E402
from stuckbot.lib.models import Timer  # noqa: E402

org = Org.objects.earliest("created_at")
Timer.unscoped.create(
    id=ids.uuid7(), org_id=org.id, kind="leak", subject=ids.uuid7(), due_at=clock.now()
)
async_task("tests.leaks.sweep.fail")
