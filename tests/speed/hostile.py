"""Texts made to cost masking as much as they can: one thing that a rule looks for, over and over."""

import random
import string
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

SIZE: Final = 262_144
_DIGITS_LETTERS: Final = string.digits + string.ascii_letters

#: Said again and again.
AGAIN: Final = {
    # keyed
    "empty assignments": "pwd= ",
    "short assignments": "secret=q7 ",
    "names and colons": "token:",
    "json members": '"apikey":"q",',
    "json numbers": '"password":7,',
    "json lists": '"password":[1,2],',
    "objects in objects": '"secret":{"q":"r",',
    "lists in lists": '"secret":[',
    "lists of digits": '"password":[' + "1," * 4_000,
    "quotes that never close": "token='",
    "double quotes that never close": 'token="',
    "escaped quotes": 'token=\\"',
    "backslashes behind a quote": 'token="' + "\\" * 8_000,
    "backslashes in a list": '"token":["' + "\\" * 8_000,
    "elements": "<secret>q7r8</secret>",
    "elements that never close": "<secret>",
    "names with dots": "a.key.b.key.",
    "typed names": "token: str = ",
    # paired
    "names beside values": 'name: "db_token", value: "q7r8s9" ',
    "names alone": "name=key ",
    "calls": "('db_token', 'q7r8')",
    "setters": ".setToken('q7r8s9t0')",
    "terraform variables": 'variable "token" { default = "q7r8"',
    "attributes": "<entry key='token'>",
    # stated
    "env lines": "ENV DB_TOKEN q7r8s9\n",
    "lines": "requirepass q7r8s9\n",
    "quoted lines": '"requirepass q7r8s9" ',
    "sql": "IDENTIFIED BY 'q7r8' ",
    "netrc": "login ci password q7r8 ",
    "netrc without passwords": "login ci ",
    "pgpass": "h:5432:d:u:q7r8\n",
    "credentials": "auth=('u', 'q7r8')",
    # said
    "tokens said": "token q7r8s9t0u1 ",
    "passwords said": "the password is q7r8s9 ",
    # piped
    "pipes": "echo q7r8s9 |",
    "web keys": '"kty":"k":"q7r8q7r8q7r8q7r8q7r8",',
    # headers
    "bearers": "Bearer q7r8s9t0u1v2 ",
    "basic": "Basic Y2k6cTdyOHM5 ",
    "authorizations": "Authorization: ",
    "cookies": "Cookie: q=r; sid=q7r8s9t0u1v2; ",
    "one cookie": "Cookie: " + "sid=q7r8s9t0u1v2w3;" * 300,
    # urls
    "addresses": "https://ci:q7@h ",
    "addresses without hosts": "https://ci:",
    "at signs": "https://ci:" + "q@" * 300,
    "parameters": "&token=q7r8s9t0",
    "hooks": "https://h/hook/q7r8s9t0u1v2w3x4 ",
    "users": "https://q7r8s9t0u1v2w3x4y5z6@h ",
    # programs
    "flags": "--token q7 ",
    "flags without values": " --token",
    "mysql": "mysql -pq7 ",
    "flags of one program": "mysql " + " -pq7" * 60,
    "curl": "curl -u ci:q7 ",
    # tokens
    "beginnings of tokens": "ghp_",
    "beginnings of keys": "AKIA",
    "beginnings of web tokens": "eyJhbGciOi.q.",
    "ai beginnings": "sk-",
    "short prefixes": "ab_cd-",
    "hashes": "$2b$10$",
    # private keys
    "begins": "-----BEGIN PRIVATE KEY-----\n",
    "begins and bodies": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiGq7r8\n",
    # readings
    "percents": "%41",
    "percent assignments": "token%3Dq7%26",
    "unicode escapes": "\\u0041",
    "hex escapes": "\\x41",
    "backslashes": "\\",
    "line escapes": "q\\nr",
    "base64 text": "dG9rZW49cTdyOHM5dDB1MXYydzN4NHk1ejY= ",
    "base64 of percents": "JTQxJTQyJTQzJTQ0JTQxJTQyJTQzJTQ0JTQx ",
    "entities": "&quot;",
    # anything
    "new lines": "q\n",
    "spaces": " ",
    "one letter": "q",
    "slashes": "/",
    "zeros": "\0",
    "accents": "é",
    "marks": "[REDACTED]",
    "open brackets": "[",
}


def _drawn(rng: random.Random, size: int) -> str:
    return "".join(rng.choices(_DIGITS_LETTERS, k=size))


#: Drawn anew each time, so that nothing is remembered.
DRAWN: Final[dict[str, Callable[[random.Random], str]]] = {
    "drawn tokens": lambda rng: f"ghp_{_drawn(rng, 36)} ",
    "drawn ai keys": lambda rng: f"sk-{_drawn(rng, 30)} ",
    "drawn prefixes": lambda rng: f"qr_{_drawn(rng, 28)} ",
    "drawn in three parts": lambda rng: f"{_drawn(rng, 16)}.{_drawn(rng, 5)}.{_drawn(rng, 20)} ",
    "drawn assignments": lambda rng: f"token={_drawn(rng, 12)}\n",
    "drawn passwords with signs": lambda rng: f"pwd={_drawn(rng, 11)}% ",
    "drawn runs": lambda rng: f"{_drawn(rng, 16)} ",
    "drawn runs with slashes": lambda rng: f"{_drawn(rng, 7)}/{_drawn(rng, 9)} ",
    "one drawn run": lambda rng: _drawn(rng, 64),
    "digests": lambda rng: f"{rng.getrandbits(256):064x} ",
    "drawn lines": lambda rng: f"{_drawn(rng, 64)}\n",
    "drawn parameters": lambda rng: f"?sig={_drawn(rng, 24)}",
}


def texts() -> Iterator[tuple[str, str]]:
    """Each text with its name, SIZE characters long."""
    for name, said in AGAIN.items():
        yield name, (said * (SIZE // len(said) + 1))[:SIZE]
    for name, make in DRAWN.items():
        rng = random.Random(name)
        pieces: list[str] = []
        length = 0
        for _ in count():
            pieces.append(make(rng))
            length += len(pieces[-1])
            if length >= SIZE:
                break
        yield name, "".join(pieces)[:SIZE]
