"""When somebody was last seen: noted by the pages, written in batches."""

from typing import Any

from django.test import Client

from accounts import usage
from accounts.models import Membership
from tests.support import Desk


def test_a_page_notes_who_looks(desk: Desk, settings: Any) -> None:
    client = Client()
    client.force_login(desk.people["bob"].user, "django.contrib.auth.backends.ModelBackend")
    settings.TOKEN_USED_SECONDS = 3600
    try:
        client.get("/people")
        assert _seen(desk) == set()
        assert usage.tokens_used_flush() == 1
    finally:
        for timer in usage._timer:
            timer.cancel()
        usage._timer.clear()
    assert _seen(desk) == {"bob"}
    assert usage.tokens_used_flush() == 0


def _seen(desk: Desk) -> set[str]:
    seen = Membership.objects.of(desk.org.id).exclude(last_seen_at=None)
    return set(seen.values_list("actor__name", flat=True))
