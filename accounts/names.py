"""Names of agents, people, projects and connectors: they stand outside `content`."""

import unicodedata

NAME_LIMIT = 80
#: Characters that turn the direction of text around and so can make a name read as another.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def name_fault(name: str) -> str | None:
    """What is wrong with a name, in a sentence; None when it can be used."""
    if not len(name.strip()) >= 1 or len(name) > NAME_LIMIT:
        return f"A name has 1 to {NAME_LIMIT} characters."
    if any(char in _BIDI or unicodedata.category(char) in ("Cc", "Cs") for char in name):
        return "A name holds no control characters and none that turn the text direction."
    return None
