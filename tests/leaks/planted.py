"""Secrets that are sent through every door of the desk, and must be found nowhere after."""

import base64
import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

_BASE62: Final = "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0zC"


@dataclass(frozen=True)
class Planted:
    """`secret` must not survive; it stands in `text`, and in the JSON value `value`."""

    kind: str
    secret: str
    text: str
    value: Any


def _planted(kind: str, secret: str, text: str, value: Any = None) -> Planted:
    """`text` has `{}` where the secret stands. A secret is one line, and told from all others."""
    whole = text.replace("{}", secret)
    return Planted(kind, secret, whole, {"said": whole} if value is None else value)


def _encoded(secret: str) -> str:
    pairs = {"user": "deploy", "password": secret, "host": "db.internal"}
    return base64.urlsafe_b64encode(json.dumps(pairs).encode()).decode()


_PEM: Final = "MIIEpAIBAAKCAQEAx7Yk" + _BASE62[::-1] + "Qw8k"
PLANTED: Final = [
    _planted("github token", "ghp_" + (_BASE62 * 2)[5:41], "pushed with {} to main"),
    _planted("our own key", "sbk_" + (_BASE62 * 2)[1:62], "Authorization: Bearer {}"),
    _planted("aws secret", "kQ7" + (_BASE62 * 2)[8:45], "AWS_SECRET_ACCESS_KEY={}"),
    _planted(
        "json password",
        "Tr4vel-0ften-Lantern",
        "password: {}",
        {"password": "Tr4vel-0ften-Lantern"},
    ),
    _planted(
        "url password", "Harb0r.Qu1et.Stone", "dial postgres://app:{}@db.example.com:5432/app"
    ),
    _planted(
        "private key", _PEM, "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
    ),
    _planted(
        "json in a string",
        "Gr4nite-Velvet-77",
        json.dumps({"db": {"password": "{}", "port": 5432}}),
    ),
    _planted(
        "url encoded",
        "Marbl3-Copper-91xq",
        "body was " + quote('{"password": "Marbl3-Copper-91xq"}'),
    ),
    _planted("base64", "W1llow-Cinder-58zt", "statement " + _encoded("W1llow-Cinder-58zt")),
]


def some(turn: int, count: int) -> list[Planted]:
    """A few of the secrets, others each turn, so that in the end all have been everywhere."""
    step = max(1, len(PLANTED) // count)
    return [PLANTED[(turn + step * place) % len(PLANTED)] for place in range(count)]
