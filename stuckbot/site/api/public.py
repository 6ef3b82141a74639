"""What anybody may read: the index, the API document, the package schema."""

from functools import lru_cache
from typing import Any

from django.conf import settings
from drf_spectacular.generators import SchemaGenerator

from stuckbot.lib.content import json_bytes
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, plain
from stuckbot.site.api.operations import OPERATIONS, operation
from tickets.packages.schema import load_schema


@operation(
    "api_index",
    "GET",
    "",
    kinds=None,
    answer=shapes.record(
        {
            "name": shapes.PLAIN,
            "version": shapes.PLAIN,
            "url": shapes.PLAIN,
            "openapi": shapes.PLAIN,
            "package_schema": shapes.PLAIN,
            "operations": shapes.WORDS,
        }
    ),
)
def api_index(call: Call) -> Answer:
    """The index of the API with its version."""
    return plain(
        {
            "name": "StuckBot",
            "version": "1",
            "url": settings.PUBLIC_URL,
            "openapi": f"{settings.PUBLIC_URL}/api/v1/openapi.json",
            "package_schema": f"{settings.PUBLIC_URL}/schemas/handoff-package-1.json",
            "operations": sorted(one.id for one in OPERATIONS.values()),
        }
    )


@operation("get_openapi", "GET", "/openapi.json", kinds=None, answer=shapes.ANYTHING)
def get_openapi(call: Call) -> Answer:
    """The OpenAPI 3.1 document of the API."""
    return Answer(200, document_bytes())


@operation(
    "get_handoff_package_schema",
    "GET",
    "//schemas/handoff-package-1.json",
    kinds=None,
    answer=shapes.ANYTHING,
)
def get_handoff_package_schema(call: Call) -> Answer:
    """The JSON Schema of the handoff package."""
    return plain(load_schema())


def document() -> dict[str, Any]:
    """The OpenAPI document as data."""
    return SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-any-return,no-untyped-call]


@lru_cache(maxsize=1)
def document_bytes() -> bytes:
    return json_bytes(document())
