"""Bodies that are a file's bytes: read in pieces, never parsed, whatever type they claim."""

import contextlib
import hashlib
from collections.abc import Iterator
from typing import Any, Final

from django.http import HttpRequest
from django.http.request import UnreadablePostError

from stuckbot.lib.errors import BadRequest, TooLarge

FILE_BYTES: Final = 25 * 1024 * 1024
#: What is read of a file before it is refused: a client that is cut off while it still sends
#: hears a broken connection instead of the refusal, and sends it again.
DRAIN_BYTES: Final = 32 * 1024 * 1024
_PIECE: Final = 65_536


def stream_of(request: HttpRequest) -> Any:
    """Where the body is read from: a chunked one has no length, which Django takes for empty."""
    chunked = "HTTP_TRANSFER_ENCODING" in request.META
    return request.META["wsgi.input"] if chunked else request


def upload_digest(request: HttpRequest) -> tuple[bytes, int]:
    """The SHA-256 of the file, which stands for it in the request's fingerprint, and its size."""
    digest, size = hashlib.sha256(), 0
    try:
        for piece in _pieces(request):
            digest.update(piece)
            size += len(piece)
    except (UnreadablePostError, OSError) as error:
        raise BadRequest("The file did not arrive whole. Send it again.") from error
    return digest.digest(), size


def size_require(size: int) -> None:
    """Refuses what was read and is too large for a file."""
    if size > FILE_BYTES:
        raise TooLarge(f"A file may have {FILE_BYTES:,} bytes at most. Send a part of it.")


def upload_drain(request: HttpRequest) -> None:
    """Reads what is left of a file that was refused before it was read."""
    with contextlib.suppress(UnreadablePostError, OSError):
        for _ in _pieces(request):
            pass


def _pieces(request: HttpRequest) -> Iterator[bytes]:
    stream, left = stream_of(request), DRAIN_BYTES
    while left > 0 and (piece := stream.read(min(_PIECE, left))):
        left -= len(piece)
        yield piece
