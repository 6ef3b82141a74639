"""Setting a timer: work that must happen is a row (see `stuckbot.site.tasks`)."""

from datetime import datetime
from uuid import UUID

from stuckbot.lib import ids
from stuckbot.lib.models import Timer


def timer_set(*, org_id: UUID, kind: str, subject: UUID, due_at: datetime) -> None:
    """Sets the timer, anew if it was set aside; in the transaction in hand if there is one."""
    Timer.objects.of(org_id).filter(kind=kind, subject=subject).delete()
    timer = Timer(id=ids.uuid7(), org_id=org_id, kind=kind, subject=subject, due_at=due_at)
    Timer.unscoped.bulk_create([timer], ignore_conflicts=True)
