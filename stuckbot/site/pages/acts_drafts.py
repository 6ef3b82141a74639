"""What was typed when the session had ended, kept until its writer has signed in again.

It is kept in the session of the browser that sent it, masked like all text that is stored, and
bounded. It never stands in an address.
"""

import hashlib
import re
from typing import Final

from django.http import HttpRequest, QueryDict

from stuckbot.lib import ratelimit
from stuckbot.lib.cutting import masked_cut

_DRAFT: Final = "draft"
#: Of one form, in characters: a comment as long as may be, and a little beside it.
_MOST: Final = 22_000
_FIELDS_MOST: Final = 60
_HOURS: Final = 12
#: A stranger's draft costs as much as ten calls.
_COST: Final = 10.0
#: Fields of our forms are called so; a name of anybody's choice is not kept.
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,19}")
_OURS: Final = frozenset({"csrfmiddlewaretoken", "key", "seen"})


def draft_keep(request: HttpRequest, place: str) -> bool:
    """Keeps what was sent to this address in the sender's session; False when it was too much."""
    spent = ratelimit.spend(f"draft:{request.META.get('REMOTE_ADDR', '')}", _COST)
    if spent is not None and spent.retry_after is not None:
        return False
    texts = _texts(request.POST)
    if not texts:
        return False
    request.session[_DRAFT] = {"place": _mark(place), "texts": texts}
    request.session.set_expiry(_HOURS * 3600)
    return True


def _texts(sent: QueryDict) -> dict[str, str]:
    left, texts = _MOST, {}
    for name in list(sent)[:_FIELDS_MOST]:
        text = masked_cut(str(sent[name]), left)
        if name in _OURS or not _NAME.fullmatch(name) or not text.strip():
            continue
        texts[name] = text
        left -= len(text)
    return texts


def draft_find(request: HttpRequest, place: str) -> dict[str, str]:
    """What was typed for this address before its writer signed in again."""
    kept = request.session.get(_DRAFT) or {}
    return dict(kept.get("texts", {})) if kept.get("place") == _mark(place) else {}


def _mark(place: str) -> str:
    """Which address it was: the address itself may hold anything, and is not kept."""
    return hashlib.sha256(place.encode()).hexdigest()


def draft_drop(request: HttpRequest) -> None:
    """Once it was sent, or written anew."""
    request.session.pop(_DRAFT, None)
