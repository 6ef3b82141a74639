"""The written review names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (\d+) \|.*\|([^|]*)\|$", re.MULTILINE)


def test_every_way_around_has_its_test() -> None:
    rows = ROW.findall((ROOT / "docs" / "url-checks-review.md").read_text(encoding="utf-8"))
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    assert len(rows) >= 30
    sources = "".join(
        path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")
    )
    there = set(re.findall(r"^def (test_\w+)", sources, re.MULTILINE))
    for number, cell in rows:
        named = set(re.findall(r"`(test_\w+)`", cell))
        assert named, number
        assert named <= there, number
