"""Who paused a project or everything, and why, as people read it."""

from datetime import datetime
from typing import NamedTuple

from accounts.models import Actor, Org, Project
from stuckbot.lib.content import text_of
from stuckbot.lib.models import Content


class Pause(NamedTuple):
    """`by` and `reason` are empty when nobody knows, or nobody said."""

    at: datetime
    by: str
    reason: str


def pause_of(place: Org | Project) -> Pause | None:
    """None while it goes on; else in up to two statements."""
    if place.paused_at is None:
        return None
    org_id = place.id if isinstance(place, Org) else place.org_id
    by = None
    if place.paused_by_id is not None:
        named = Actor.objects.of(org_id).filter(id=place.paused_by_id)
        by = named.values_list("name", flat=True).first()
    reason = None
    if place.pause_reason_id is not None:
        reason = Content.objects.of(org_id).filter(id=place.pause_reason_id).first()
    said = text_of(reason.bytes, reason.key_id) if reason is not None else ""
    return Pause(place.paused_at, by or "", said)
