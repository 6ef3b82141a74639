"""The door: who may make what has passed it, and what it says of what it found."""

import re

import pytest

from stuckbot.lib.masking import REDACTED, Finding, Masked, MaskedValue, mask_text, mask_value

TOKEN = "ghp_aB3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zA3"
TOLD = "ghp_…1zA3"
FLOOD = "key: " * 800


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (Masked, "Only stuckbot.lib.masking makes Masked text."),
        (MaskedValue, "Only stuckbot.lib.masking makes a MaskedValue."),
    ],
)
@pytest.mark.parametrize("key", [None, object(), "key"])
def test_nobody_else_makes_what_has_passed(
    made: type[Masked | MaskedValue], message: str, key: object
) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        made(key, "text")


@pytest.mark.parametrize(
    ("text", "masked", "findings"),
    [
        ("plain", "plain", ()),
        ("\ud800 é", "\ud800 é", ()),
        (f"\ud800 {TOKEN}", f"\ud800 {REDACTED}", (Finding("w", "github_token", TOLD),)),
        (FLOOD, REDACTED, (Finding("w", "flood", "…"),)),
    ],
)
def test_a_text_comes_out_masked_with_what_was_found(
    text: str, masked: str, findings: tuple[Finding, ...]
) -> None:
    passed = mask_text(text, "w")
    assert (passed.text, passed.findings) == (masked, findings)
    value = mask_value([text], "w")
    assert value.value == [masked]
    assert value.findings == tuple(Finding("w[0]", one.kind, one.preview) for one in findings)


def test_without_a_path_a_finding_names_none() -> None:
    assert [one.where for one in mask_text(TOKEN).findings] == [""]
    assert [one.where for one in mask_value(TOKEN).findings] == [""]
    assert [one.where for one in mask_value({"a": [TOKEN]}).findings] == ["a[0]"]


def test_what_has_passed_is_written_as_utf_8() -> None:
    assert mask_text("é").encoded() == b"\xc3\xa9"
