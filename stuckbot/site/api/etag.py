"""ETags of reads: the same bytes are a 304."""

import hashlib

from django.http import HttpResponse

from stuckbot.lib.idempotency import Answer
from stuckbot.site.api.call import Call


def with_etag(call: Call, answer: Answer) -> HttpResponse:
    etag = f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
    if matches(call.header("If-None-Match"), etag):
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(answer.body, content_type="application/json")
    response["ETag"] = etag
    return response


def matches(header: str | None, etag: str) -> bool:
    """Whether an `If-None-Match` names the tag; a weak one compares by its value."""
    if not header:
        return False
    tags = [part.strip().removeprefix("W/") for part in header.split(",")]
    return "*" in tags or etag in tags
