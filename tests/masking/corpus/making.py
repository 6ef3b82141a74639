"""Makes samples from a seed.

A template is text with slots: `⟨hex:40⟩` forty hex digits, `⟨b62:24-99⟩` that many letters and
digits, `⟨time⟩` a time. The empty slot `⟨⟩` is where the secret goes.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.masking.corpus import words

#: Stands for the value while a text is put together.
_HERE: Final = "\0"
_SLOT: Final = re.compile(r"⟨(\w*)(?::(\d+)(?:-(\d+))?)?⟩")


@dataclass(frozen=True, slots=True)
class Secret:
    """What must not survive, the text it stands in, and other texts of the same package that
    hold it once more. `at` tells where it stands, for one so short that its letters come again."""

    value: str
    text: str
    beside: tuple[str, ...] = ()
    at: int | None = None


Maker = Callable[[random.Random], Secret]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    vendor: str
    make: Maker


@dataclass(frozen=True, slots=True)
class LookAlike:
    """Text that must stay as it is, to the byte."""

    name: str
    make: Callable[[random.Random], str]


def kind(name: str, vendor: str, shapes: str | Sequence[str], frames: Sequence[str]) -> Kind:
    """A kind whose values have one of the shapes and stand in one of the frames."""
    choices = [shapes] if isinstance(shapes, str) else list(shapes)

    def make(rng: random.Random) -> Secret:
        value = fill(rng, rng.choice(choices))
        text = among_others(rng, fill(rng, rng.choice(frames), _HERE))
        return Secret(value, text.replace(_HERE, value), at=text.index(_HERE))

    return Kind(name, vendor, make)


def look_alike(name: str, *templates: str) -> LookAlike:
    def make(rng: random.Random) -> str:
        return among_others(rng, fill(rng, rng.choice(templates)))

    return LookAlike(name, make)


def fill(rng: random.Random, template: str, value: str = "") -> str:
    """The template with its slots filled, each drawn anew, and `value` in the empty ones."""

    def slot(match: re.Match[str]) -> str:
        name, least, most = match.groups()
        if not name:
            return value
        size = rng.randint(int(least or 0), int(most or least or 0))
        if name in words.ALPHABETS:
            return "".join(rng.choices(words.ALPHABETS[name], k=size))
        return words.WORDS[name](rng, size)

    return _SLOT.sub(slot, template)


def among_others(rng: random.Random, text: str) -> str:
    """As logs are: other lines before and after it, or none. JSON stays alone."""
    if text.startswith(("{", "[{")):
        return text
    before = [fill(rng, line) for line in rng.sample(words.LINES, k=rng.choice((0, 0, 1, 2)))]
    after = [fill(rng, line) for line in rng.sample(words.LINES, k=rng.choice((0, 0, 1, 2)))]
    return "\n".join([*before, text, *after])
