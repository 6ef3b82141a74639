"""Strategies that make up texts as agents send them, and worse ones."""

import random
from typing import Final

from hypothesis import strategies as st

from tests.masking.corpus import words
from tests.masking.corpus.known import KNOWN
from tests.masking.corpus.look_alikes import LOOK_ALIKES
from tests.masking.corpus.making import Kind, LookAlike, Secret, fill


def _each(words: str) -> list[str]:
    return words.split()


SIGNS: Final = [
    *"\"'`\\=:;,&?@/#%{}[]()<>|!$*-_.~ \n\t\0\r\x1b\x7f",
    *("\r\n", '\\"', "\\n", "\\\\", "://", "=>", ":=", "${", "{{", "}}", "%3D", "\\u003d", "-----"),
    *("é", "🔑", "\ud800", "\udfff", "\u2028", "ſ", "[REDACTED]", "[REDACTED", "REDACTED]"),
]
TELLING: Final = _each(
    "password token secret api_key key DB_PASSWORD client_secret Authorization: Bearer Basic "
    "Cookie: session auth sig pat pwd pass --password -p -u mysql curl redis-cli docker login "
    "name value variable default ENV IDENTIFIED BY requirepass echo --password-stdin https://ci: "
    "postgres:// hooks/ ?token= &sig= <password> </password> sha256: etag: request_id= BEGIN"
)
SPOKEN: Final = _each(
    "the is was required null true none user hunter2 correct-horse s3cr3t 12345678 changeme "
    "admin db.example.com 4096 orders failed refused expired your-api-key xxxxxxxx ${TOKEN}"
)
SHAPES: Final = ["⟨b62:4-60⟩", "⟨hex:4-64⟩", "⟨b64u:12-60⟩", "⟨b64:12-90⟩", "⟨digits:4-20⟩"]
GAPS: Final = ["", " ", "\n", "=", ": ", ", ", '"', '": "', "\r\n  "]

seeds: Final = st.integers(0, 2**32)


def _made(kind: Kind, seed: int) -> Secret:
    return kind.make(random.Random(seed))


def _look(look: LookAlike, seed: int) -> str:
    return look.make(random.Random(seed))


def _filled(shape: str, seed: int) -> str:
    return fill(random.Random(seed), shape)


#: Secrets of the known half, in their texts.
secrets: Final = st.builds(_made, st.sampled_from(KNOWN), seeds)
look_alikes: Final = st.builds(_look, st.sampled_from(LOOK_ALIKES), seeds)
log_lines: Final = st.builds(_filled, st.sampled_from(words.LINES), seeds)
drawn: Final = st.builds(_filled, st.sampled_from(SHAPES), seeds)
#: Any character there is, halves of pairs too.
any_text: Final = st.text(st.characters(exclude_categories=()), max_size=60)

pieces: Final = st.one_of(
    secrets.map(lambda secret: secret.text),
    secrets.map(lambda secret: secret.value),
    look_alikes,
    log_lines,
    drawn,
    any_text,
    st.sampled_from(SIGNS),
    st.sampled_from(TELLING),
    st.sampled_from(SPOKEN),
)
texts: Final = st.builds(
    lambda gap, parts: gap.join(parts), st.sampled_from(GAPS), st.lists(pieces, max_size=9)
)
names: Final = st.one_of(st.sampled_from(TELLING), st.sampled_from(SPOKEN), pieces)
#: JSON values with secrets in their texts and under their names.
values: Final = st.recursive(
    st.one_of(texts, st.integers(), st.floats(allow_nan=False), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=9,
)
