"""Free texts that come beside a package: their limits, the door, and their content rows."""

from typing import Any
from uuid import UUID

from stuckbot.lib import content
from stuckbot.lib.masking import mask_text, mask_value
from stuckbot.lib.models import Content
from tickets.facts import Facts


def text_content(facts: Facts, kind: str, text: str | None) -> Content | None:
    """A content row for a text on a ticket; None for no text."""
    if text is None or not text.strip():
        return None
    return content.prepare(
        org_id=facts.org_id, kind=kind, body=mask_text(text), root_id=facts.root_id
    )


def value_content(org_id: UUID, root_id: UUID, kind: str, value: Any) -> Content:
    return content.prepare(org_id=org_id, kind=kind, body=mask_value(value), root_id=root_id)
