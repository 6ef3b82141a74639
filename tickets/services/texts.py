"""The door for free texts of a ticket: masked, as content rows that bring their findings along."""

from collections.abc import Mapping
from typing import Any

from stuckbot.lib import content
from stuckbot.lib.masking import MaskedValue, mask_text, mask_value
from stuckbot.lib.models import Content
from tickets.facts import Facts


def text_content(facts: Facts, kind: str, text: str | None, where: str) -> Content | None:
    """A content row for a text on a ticket; None for no text. `where` names it in findings."""
    if text is None or not text.strip():
        return None
    return content.prepare(
        org_id=facts.org_id,
        kind=kind,
        body=mask_text(text, where),
        root_id=facts.root_id,
        about=facts.id,
    )


def value_content(facts: Facts, kind: str, value: Mapping[str, Any], where: str) -> Content:
    return masked_content(facts, kind, mask_value(value, where))


def masked_content(facts: Facts, kind: str, body: MaskedValue) -> Content:
    return content.prepare(
        org_id=facts.org_id, kind=kind, body=body, root_id=facts.root_id, about=facts.id
    )
