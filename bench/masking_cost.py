"""What checking and masking cost in CPU: `python -m bench.masking_cost`.

A package as a busy agent files it, 200 KB of log, and texts of 256 KB made up to cost much. Each
figure is the median of five runs; what masking remembers of earlier texts is thrown away before
each. Measure on an idle machine: the clock is that of the process, but its caches are shared.
"""

import random
import statistics
import string
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from bench.package import package
from stuckbot.lib.masking import mask_text, mask_value
from stuckbot.lib.masking.keys import telling
from stuckbot.lib.masking.values import is_stand_in
from tickets.packages.check import check_package

RUNS: Final = 5
LOG_SIZE: Final = 200_000
HOSTILE_SIZE: Final = 262_144
#: Bytes between the beginnings of places, that no text is taken for a flood with one or two there.
SPARSE: Final = (38, 76)
#: So many of the dearest hostile texts are shown.
SHOWN: Final = 5
_ALPHABET: Final = string.ascii_letters + string.digits
_WORDS: Final = (
    "error",
    "failed",
    "token",
    "timeout",
    "session",
    "key",
    "auth",
    "ok",
    "GET",
    "200",
)

#: One text or more for each rule, each the beginning of much work or the end of none.
REPEATED: Final = (
    *("password=a1b2c3 ", "password= ", 'password="', 'password=\\"', 'password="\\\\\\"', "key:"),
    *('"key":"a",', '"password":{"a":"b",', '"password":[', '"password":"b1",', '{"a":'),
    *('{\\"password\\":\\"b1\\"},', "<password>a1b2</password>", "<password>", "[", "{"),
    *('"name":"password","value":"a1b2",', "name=key ", '("password","a1b2")', "login "),
    *('.password("a1b2")', 'variable "password" { default = "a1b2"', "ENV TOKEN a1b2c3 "),
    *("password 'a1b2' ", "token abcdef1\n", "token abcdef1234 ", "password is abc1 "),
    *("echo abcd |", "echo abcd | docker login --password-stdin\n", "h:5432:d:u:a1b2\n"),
    *('"kty":"d":"aaaaaaaaaaaaaaaaaaaa",', "login a password b ", "config set token a1b2 "),
    *("a://b:c@d ", "a://b:c", "?a=b&sig=", "&sig=abcdef12", "://x/hook/aaaa1111bbbb2222 "),
    *("://", "http://a:b@b@b@b@b@b@b@", "@", "/", ":", "=", "a=b&", "Cookie: a=b; "),
    *("Cookie: a=bcdefghijkl12345;", "Bearer abcdef12345 ", "Basic dXNlcjpwYXNz "),
    *("Authorization: ", "authorization: a b c ", "AUTH PLAIN aaaaaaaaaa ", "mysql -pab "),
    *("curl -u a:b ", "--password a1 ", "--token ", " -p", "--password-stdin ", "sqlplus a/b@c "),
    *("-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n"),
    *("AKIA", "ghp_", "eyJ", "eyJhbGciOi.a.", "sk-", "$2b$10$", "1234567890:AA", "ab_cd-"),
    *("aaaaaaaaaaaaaaaa.aaaaa.", "%41", "%2541", "password%3Dab%26", "\\u0041", "\\x41", "\\"),
    *('\\"', "\\\\n", "a\n", "\r\n", " ", "a.", "\0", "é", "🔑 password: ü ", "psk=a"),
    *("aGVsbG8gd29ybGQgcGFzc3dvcmQ9aHVudGVyMmh1bnRlcjI= ", "hunter2hunter2 "),
)
#: The same with a part that is drawn anew each time.
DRAWN: Final = (
    *("ghp_{36} ", "AKIA{16} ", "ab_{28} ", "sk-{30} ", "{16}.{5}.{20} ", "{16} ", "{7}/{9} "),
    *("{64}", "password={12}\n", "pwd={11}% ", "token {24} ", "?token={24}&", "a://{12}:{12}@b "),
    *("{60}\n", '"secret":"{16}",', "Cookie: sid={24}; ", "--token {16} "),
)


def main() -> None:
    filed = package()
    print(f"check the package    {_ms(lambda n: check_package(_numbered(filed, n))):8.2f} ms")
    print(f"mask the package     {_ms(lambda n: mask_value(_numbered(filed, n))):8.2f} ms")
    log = log_text(LOG_SIZE)
    print(f"mask 200 KB of log   {_mask_ms(log):8.2f} ms")
    costs = sorted(((_mask_ms(text), name) for name, text in hostile_texts()), reverse=True)
    print(f"{len(costs)} hostile texts of 256 KB, the dearest:")
    for cost, name in costs[:SHOWN]:
        print(f"{cost:29.2f} ms  {name!r}")
    print(f"{statistics.median(cost for cost, _ in costs):29.2f} ms  in the middle")


def log_text(size: int) -> str:
    """A log of a service, with ids, paths and the words that rules look at, and no secret."""
    rng = random.Random(3)
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(_log_line(rng))
        length += len(lines[-1])
    return "".join(lines)[:size]


def _log_line(rng: random.Random) -> str:
    when = (
        f"2026-03-{rng.randrange(10, 28)}T12:{rng.randrange(10, 60)}:00.{rng.randrange(1000):03}Z"
    )
    level, part, name = (
        rng.choice(["INFO", "WARN", "ERROR"]),
        rng.choice(_WORDS),
        rng.choice(_WORDS),
    )
    return (
        f"{when} {level} [{part}-{rng.randrange(99)}] {' '.join(rng.choices(_WORDS, k=9))} "
        f"id={rng.getrandbits(128):032x} path=/srv/app/{name}.py:{rng.randrange(900)} "
        f"took={rng.randrange(9999)}ms\n"
    )


def hostile_texts() -> Iterator[tuple[str, str]]:
    """Name and text of each: piece behind piece, and with spaces between them, so that they are
    not dense enough for a flood."""
    rng = random.Random(3)
    for shape in (*REPEATED, *DRAWN):
        # A brace of a piece that is said again and again is its own.
        make = _same if shape in REPEATED else _filled
        each = len(make(shape, rng).encode())
        for width in (each, *(sparse for sparse in SPARSE if each < sparse)):
            gap = " " * (width - each)
            pieces = (make(shape, rng) + gap for _ in range(HOSTILE_SIZE // width + 1))
            yield (f"{shape} every {width} bytes", _cut("".join(pieces)))


def _same(piece: str, _rng: random.Random) -> str:
    return piece


def _filled(shape: str, rng: random.Random) -> str:
    """`{16}` filled with 16 letters and digits."""
    pieces = []
    for place, part in enumerate(shape.replace("}", "{").split("{")):
        number = place % 2 == 1
        pieces.append("".join(rng.choices(_ALPHABET, k=int(part))) if number else part)
    return "".join(pieces)


def _cut(text: str) -> str:
    return text.encode()[:HOSTILE_SIZE].decode(errors="ignore")


def _numbered(filed: dict[str, Any], number: int) -> dict[str, Any]:
    """The package with an explanation that was not read before."""
    told = filed["human_summary"] | {"problem": f"Build {number} lost Python, so it cannot go on."}
    return filed | {"human_summary": told}


def _mask_ms(text: str) -> float:
    return _ms(lambda _: mask_text(text))


def _ms(work: Callable[[int], object]) -> float:
    """Milliseconds of CPU, in the middle of RUNS; once before, to have everything loaded."""
    work(-1)
    return statistics.median(_once(work, number) for number in range(RUNS))


def _once(work: Callable[[int], object], number: int) -> float:
    telling.cache_clear()
    is_stand_in.cache_clear()
    start = time.process_time()
    work(number)
    return (time.process_time() - start) * 1000


if __name__ == "__main__":
    main()
