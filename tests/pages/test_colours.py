"""The colours of the stylesheet: read by everybody, told apart with red-green blindness too."""

import re
from itertools import combinations
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[2] / "static" / "stuckbot.css"
STATUS = ("red", "orange", "yellow", "green")
Rgb = tuple[float, float, float]
Matrix = tuple[Rgb, Rgb, Rgb]

#: Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
VISION: dict[str, Matrix] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE: Rgb = (0.95047, 1.0, 1.08883)


def themes() -> list[dict[str, str]]:
    """The tokens of the light theme, and those of the dark one laid over them."""
    light, dark = re.findall(r":root \{(.*?)\}", CSS.read_text(encoding="utf-8"), re.DOTALL)[:2]
    tokens = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part)) for part in (light, dark)]
    return [tokens[0], {**tokens[0], **tokens[1]}]


def linear(colour: str) -> Rgb:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def through(matrix: Matrix, colour: Rgb) -> Rgb:
    first, second, third = (
        sum(weight * part for weight, part in zip(row, colour, strict=True)) for row in matrix
    )
    return first, second, third


def contrast(one: str, other: str) -> float:
    low, high = sorted(through(_XYZ, linear(colour))[1] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: Rgb) -> Rgb:
    """CIE L*a*b* under D65."""
    inside: Rgb = tuple(min(1.0, max(0.0, part)) for part in colour)  # type: ignore[assignment]
    x, y, z = (
        _root(part / white) for part, white in zip(through(_XYZ, inside), _WHITE, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(part: float) -> float:
    return float(part ** (1 / 3)) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def apart(one: str, other: str, vision: str) -> float:
    """How far two colours are in CIE Lab, as those eyes see them; 2.3 is just noticeable."""
    seen = [lab(through(VISION[vision], linear(colour))) for colour in (one, other)]
    squares = ((first - second) ** 2 for first, second in zip(*seen, strict=True))
    return float(sum(squares) ** 0.5)


def test_the_formulas_give_known_figures() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert lab(linear("#ffffff")) == pytest.approx((100, 0, 0), abs=0.05)
    assert lab(linear("#ff0000")) == pytest.approx((53.24, 80.09, 67.20), abs=0.05)
    assert apart("#ff0000", "#ff0000", "protanopia") == 0
    # Red and green of one lightness, which is what the simulation is for.
    assert (
        apart("#b03030", "#506a10", "deuteranopia") < apart("#b03030", "#506a10", "all cones") / 2
    )


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_text_can_be_read(theme: dict[str, str]) -> None:
    grounds = [theme["ground"], theme["surface"]]
    plain = ("text", "muted", "accent", "danger", *STATUS, "warn")
    pairs = [(theme[name], ground) for name in plain for ground in grounds]
    pairs += [(theme[name], theme[f"{name}-ground"]) for name in (*STATUS, "warn", "accent")]
    pairs += [(theme["text"], theme[f"{name}-ground"]) for name in (*STATUS, "warn", "accent")]
    pairs += [(theme["on-accent"], theme["accent"]), (theme["surface"], theme["text"])]
    pairs += [(theme["on-danger"], theme["danger"])]
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_edges_and_fields_can_be_seen(theme: dict[str, str]) -> None:
    names = [*(f"{name}-edge" for name in STATUS), "field", "accent"]
    grounds = [theme["ground"], theme["surface"]]
    faint = [
        (name, ground) for name in names for ground in grounds if contrast(theme[name], ground) < 3
    ]
    assert faint == []


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
@pytest.mark.parametrize(("kind", "least"), [("-edge", 15.0), ("", 11.0)], ids=["edge", "text"])
def test_the_four_colours_are_told_apart(
    theme: dict[str, str], vision: str, kind: str, least: float
) -> None:
    distances = {
        (one, other): apart(theme[one + kind], theme[other + kind], vision)
        for one, other in combinations(STATUS, 2)
    }
    assert {pair: far for pair, far in distances.items() if far < least} == {}


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_orange_and_red_differ_in_lightness(theme: dict[str, str]) -> None:
    for kind in ("", "-edge"):
        red, orange = (lab(linear(theme[name + kind]))[0] for name in ("red", "orange"))
        assert abs(red - orange) > 8
