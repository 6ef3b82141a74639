"""Where secrets that were found once stand again, however many there are."""

import pytest

from stuckbot.lib.masking.repeats import FEW, SHORTEST, again

SHORT = b"Xk29dQz81mNb"
#: Begins with the other one.
LONG = b"Xk29dQz81mNb-aZ"
OTHERS = [b"%012d" % number for number in range(FEW)]


@pytest.mark.parametrize("others", [[], OTHERS[:-1], OTHERS], ids=["none", "few", "many"])
@pytest.mark.parametrize(
    ("text", "places"),
    [
        (b"", []),
        (b"Xk29dQz81mN", []),
        (b"Xk29dQz81mNB", []),
        (SHORT, [(0, 12)]),
        (b"> " + SHORT, [(2, 14)]),
        (SHORT + b" <", [(0, 12)]),
        (SHORT * 3, [(0, 12), (12, 24), (24, 36)]),
        (SHORT + b", " + SHORT + b"!", [(0, 12), (14, 26)]),
        (b"a " + LONG, [(2, 14), (2, 17)]),
        (SHORT + b"-aY", [(0, 12)]),
        (LONG + SHORT, [(0, 12), (0, 15), (15, 27)]),
    ],
)
def test_it_finds_them_all(text: bytes, places: list[tuple[int, int]], others: list[bytes]) -> None:
    assert len(SHORT) == SHORTEST
    assert sorted(again(text, [SHORT, LONG, *others])) == places
