"""The same problem in the same words: a hash of what stays when a run is repeated.

Title, why the agent is stuck and the errors it saw, without numbers, hashes, folders, addresses'
paths and times. Two tickets with one fingerprint are the same problem filed twice.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from tickets.search.document import problem_texts
from tickets.search.stems import VOLATILE
from tickets.search.tokens import tokens

_PATHS: Final = re.compile(r"\S*[\\/]\S*")
_LETTERS_MOST: Final = 20_000


def fingerprint_of(package: Mapping[str, Any]) -> str:
    """64 hex digits; empty for a package that says nothing of a problem."""
    parts = []
    for text in problem_texts(str(package.get("title", "")), package):
        plain = _PATHS.sub(" ", VOLATILE.sub(" ", text[:_LETTERS_MOST]))
        words = [one for one in tokens(plain) if not any(map(str.isdigit, one))]
        if words:
            parts.append(" ".join(words))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else ""
