"""What a rule finds: a stretch of text, and what is told of it."""

from dataclasses import dataclass
from typing import Final

#: What stands where a secret stood.
REDACTED: Final = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret that was masked: the path where it stood (`package.context.logs[2]`), a code for
    what kind it is (`github_token`), and a preview that does not give the value away."""

    where: str
    kind: str
    preview: str
