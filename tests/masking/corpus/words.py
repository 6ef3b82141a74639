"""What the slots of a template are filled with: alphabets, and words that have a form."""

import base64
import json
import random
import re
import string
from collections.abc import Callable
from typing import Final

_BASE62: Final = string.ascii_letters + string.digits
ALPHABETS: Final = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b32": string.ascii_uppercase + "234567",
    "b62": _BASE62,
    "b64": _BASE62 + "+/",
    "b64u": _BASE62 + "-_",
    "digits": string.digits,
    "letters": string.ascii_letters,
    "lower": string.ascii_lowercase,
    "UPPER": string.ascii_uppercase,
    "alnum": string.ascii_lowercase + string.digits,
    "ALNUM": string.ascii_uppercase + string.digits,
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_PASSWORD: Final = _BASE62 + "!$%&*+-._~"
_URL_PASSWORD: Final = _BASE62 + "!$&*+-._~"
_PLACEHOLDER: Final = re.compile(r"[$%]\w+%?|[$%]?[*xX._-]+|[-&*].*")
_WORDS: Final = [
    "orders",
    "billing",
    "invoice",
    "cache",
    "worker",
    "search",
    "ledger",
    "gateway",
    "catalog",
    "image",
    "report",
    "session",
    "export",
    "import",
    "metrics",
    "shipping",
    "warehouse",
    "payment",
    "profile",
    "upload",
    "render",
    "notify",
    "schedule",
]
_SPOKEN: Final = [
    "Summer",
    "Winter",
    "Autumn",
    "Dragon",
    "Monkey",
    "Sunshine",
    "Football",
    "Welcome",
    "Falcon",
    "Harbour",
    "Pepper",
    "Garnet",
    "Copper",
    "Meadow",
    "Thunder",
    "Violet",
    "Orchid",
    "Timber",
    "Marble",
    "Saffron",
]
_USERS: Final = [
    "app",
    "deploy",
    "ci",
    "root",
    "admin",
    "svc_orders",
    "reporting",
    "ana",
    "jenkins",
    "backup",
    "etl",
]
_HOSTS: Final = [
    "db.internal",
    "cache.internal",
    "api.acme.io",
    "mail.example.net",
    "queue-1.prod.acme.io",
    "10.0.4.17",
    "c0.example.net",
    "localhost",
    "build.acme.dev",
    "db-primary.eu-west-1.acme.cloud",
]


def _pick(choices: list[str]) -> Callable[[random.Random, int], str]:
    return lambda rng, _: rng.choice(choices)


def _number(least: int, most: int, width: int = 0) -> Callable[[random.Random, int], str]:
    return lambda rng, _: str(rng.randint(least, most)).zfill(width)


def _drawn(rng: random.Random, alphabet: str, least: int, most: int) -> str:
    return "".join(rng.choices(alphabet, k=rng.randint(least, most)))


def _uuid(rng: random.Random, _: int = 0) -> str:
    digits = f"{rng.getrandbits(128):032x}"
    variant = rng.choice("89ab")
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _time(rng: random.Random, _: int = 0) -> str:
    day = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return f"{day}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}Z"


def _ip(rng: random.Random, _: int = 0) -> str:
    return f"10.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"


def _version(rng: random.Random, _: int = 0) -> str:
    return f"{rng.randint(0, 30)}.{rng.randint(0, 40)}.{rng.randint(0, 20)}"


def _spoken_password(rng: random.Random) -> str:
    first, second = rng.sample(_SPOKEN, k=2)
    year, few = rng.randint(1990, 2027), rng.randint(1, 99)
    return rng.choice(
        [f"{first}{year}!", f"{first}.{second}{few}", f"{first.lower()}-{second.lower()}-{few}"]
    )


def _password(rng: random.Random, _: int = 0) -> str:
    """Half as people choose them, half as generators do; never one that is also a placeholder."""
    if rng.random() < 0.3:
        return _spoken_password(rng)
    found = _drawn(rng, _PASSWORD, 8, 40)
    return _password(rng) if _PLACEHOLDER.fullmatch(found) else found


def _plain_password(rng: random.Random, _: int = 0) -> str:
    """Of letters and digits, as those who were bitten by a shell choose them."""
    return _spoken_password(rng) if rng.random() < 0.3 else _drawn(rng, _BASE62, 8, 32)


def _url_password(rng: random.Random, _: int = 0) -> str:
    """Any length from one character, as a URL may hold it unescaped."""
    found = _drawn(rng, _URL_PASSWORD, 1, rng.choice((4, 12, 40)))
    return _url_password(rng) if _PLACEHOLDER.fullmatch(found) else found


def _quoted_password(rng: random.Random, _: int = 0) -> str:
    """What only quotes can hold: spaces, brackets, commas."""
    return _drawn(rng, _BASE62 + "!$%&*+-._~ #@:;,?/()[]{}=^", 10, 40).strip() + rng.choice(_BASE62)


def _encoded(rng: random.Random, data: bytes, size: int = 0) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _jwt(rng: random.Random, _: int = 0) -> str:
    header = {"alg": rng.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    payload = {"sub": _uuid(rng), "iat": rng.randint(1_700_000_000, 1_800_000_000)}
    parts = [_encoded(rng, json.dumps(part).encode()) for part in (header, payload)]
    return ".".join([*parts, _drawn(rng, ALPHABETS["b64u"], 43, 86)])


def _basic(rng: random.Random, _: int = 0) -> str:
    return base64.b64encode(f"{rng.choice(_USERS)}:{_plain_password(rng)}".encode()).decode()


def _json64(rng: random.Random, _: int = 0) -> str:
    """Base64 of a small JSON object, as cursors are."""
    body = {"id": rng.randint(1, 99_999), "after": _time(rng), "dir": "next"}
    return base64.b64encode(json.dumps(body).encode()).decode()


def _lines64(join: str) -> Callable[[random.Random, int], str]:
    """So many lines of 64 base64 characters and a shorter last one, as in PEM blocks."""

    def make(rng: random.Random, size: int) -> str:
        lines = [_drawn(rng, ALPHABETS["b64"], 64, 64) for _ in range(size)]
        return join.join([*lines, _drawn(rng, ALPHABETS["b64"], 22, 58) + "=="])

    return make


def _block64(label: str) -> Callable[[random.Random, int], str]:
    """A PEM block of so many lines, the whole of it in base64 once more."""

    def make(rng: random.Random, size: int) -> str:
        body = _lines64("\n")(rng, size)
        block = f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"
        return base64.b64encode(block.encode()).decode()

    return make


def _bytes64(rng: random.Random, size: int) -> str:
    """Standard base64 of so many bytes, padded as it should be."""
    return base64.b64encode(rng.randbytes(size)).decode()


def _snake(rng: random.Random, _: int = 0) -> str:
    return "_".join(rng.sample(_WORDS, k=rng.randint(3, 6)))


def _camel(rng: random.Random, _: int = 0) -> str:
    return "".join(word.title() for word in rng.sample(_WORDS, k=rng.randint(3, 6)))


WORDS: Final[dict[str, Callable[[random.Random, int], str]]] = {
    "word": _pick(_WORDS),
    "user": _pick(_USERS),
    "host": _pick(_HOSTS),
    "uuid": _uuid,
    "UUID": lambda rng, _: _uuid(rng).upper(),
    "time": _time,
    "ip": _ip,
    "ver": _version,
    "n": _number(1, 99),
    "port": _number(1024, 65_535),
    "ms": _number(1, 9_999),
    "epoch": _number(1_700_000_000, 1_800_000_000),
    "pw": _password,
    "plainpw": _plain_password,
    "urlpw": _url_password,
    "quotedpw": _quoted_password,
    "jwt": _jwt,
    "basic": _basic,
    "json64": _json64,
    "bytes64": _bytes64,
    "key64": _block64("RSA PRIVATE KEY"),
    "cert64": _block64("CERTIFICATE"),
    "pem": _lines64("\n"),
    "pemn": _lines64("\\n"),
    "snake": _snake,
    "camel": _camel,
}

#: Lines that say nothing secret.
LINES: Final = [
    "⟨time⟩ INFO  ⟨word⟩: listening on 0.0.0.0:⟨port⟩",
    "⟨time⟩ DEBUG [⟨word⟩-⟨n⟩] retrying in ⟨ms⟩ ms (attempt ⟨n⟩ of 99)",
    "npm WARN deprecated ⟨word⟩@⟨ver⟩: this version is no longer supported",
    "#⟨n⟩ [build 4/9] RUN make ⟨word⟩",
    "  at ⟨camel⟩.run (/app/dist/⟨word⟩.js:⟨n⟩:⟨n⟩)",
    "remote: Enumerating objects: ⟨ms⟩, done.",
    "Traceback (most recent call last):",
    '  File "/srv/app/⟨word⟩/views.py", line ⟨n⟩, in ⟨word⟩',
    "FAILED tests/test_⟨word⟩.py::test_⟨snake⟩ - AssertionError",
    "+ make ⟨word⟩",
    "exit status 1",
    "The deploy of ⟨word⟩ ⟨ver⟩ stopped here; see below.",
    "HTTP/1.1 401 Unauthorized",
    "content-type: application/json; charset=utf-8",
]
