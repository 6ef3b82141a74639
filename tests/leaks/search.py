"""Looks for a secret in whatever a desk left behind, in every form it may have taken."""

import base64
import binascii
import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus


def forms(secret: str) -> Iterator[bytes]:
    """The secret plain, escaped for JSON, percent-encoded, in hex, and in base64 as it looks
    behind any number of other bytes."""
    raw = secret.encode()
    texts = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(json.dumps(secret)[1:-1])[1:-1],
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        quote(quote(secret, safe=""), safe=""),
        raw.hex(),
        raw.hex().upper(),
    }
    for shift in range(3):
        # What neighbours decide is cut off at both ends.
        body = base64.b64encode(b"\0" * shift + raw)
        begins, ends = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        texts |= {body[begins:ends].decode(), body[begins:ends].translate(_URL_SAFE).decode()}
    yield from (text.encode() for text in texts)


_URL_SAFE = bytes.maketrans(b"+/", b"-_")


def found_in(secret: str, blob: bytes) -> list[str]:
    return [form.decode() for form in forms(secret) if form in blob]


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below the folder, by name and whole."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def rows(database: Path) -> Iterator[tuple[str, bytes]]:
    """Every value of every table, unpacked: a long one lies scattered in the file."""
    with sqlite3.connect(database) as connection:
        connection.text_factory = bytes
        named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in named:
            for row in connection.execute(f'SELECT * FROM "{name.decode()}"'):
                yield name.decode(), b"\n".join(_unpacked(one) for one in row)


def _unpacked(value: Any) -> bytes:
    """The value, and what it holds when it is base64 or compressed (sessions, tasks)."""
    raw = value if isinstance(value, bytes) else str(value).encode()
    layers = [raw]
    for part in raw.split(b":"):
        try:
            inner = base64.urlsafe_b64decode(
                part.lstrip(b".") + b"=" * (-len(part.lstrip(b".")) % 4)
            )
        except (binascii.Error, ValueError):
            continue
        layers.append(inner)
        try:
            layers.append(zlib.decompress(inner))
        except zlib.error:
            continue
    return b"\n".join(layers)
