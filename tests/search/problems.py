"""A small corpus: problems told twice by two agents, and others near to them in tools and words.

Half of the pairs (`pairs_held.txt`) were never looked at while the words in
`tickets/search/telling.py` and the bound `ALIKE` were chosen.
"""

from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "data" / "problems"


class Problem(NamedTuple):
    title: str
    reason: str
    error: str

    @property
    def package(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "stuck_reason": self.reason,
            "context": {"errors": [self.error]},
        }


def problems(name: str) -> list[Problem]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line and not line.startswith("#")]
    return [Problem(*(part.strip() for part in line.split("|"))) for line in kept]


def pairs(name: str) -> list[tuple[Problem, Problem]]:
    each = problems(name)
    return list(zip(each[::2], each[1::2], strict=True))


def others() -> list[Problem]:
    return problems("others.txt")
