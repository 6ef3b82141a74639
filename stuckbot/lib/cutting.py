"""Text cut short without leaving half a secret, which no longer looks like one."""

from typing import Final

from stuckbot.lib.masking import mask_text

#: What is looked at beyond the cut, and dropped: a secret that lies across it is seen whole.
MARGIN: Final = 4096


def masked_cut(text: str, most: int) -> str:
    """The masked text, `most` characters of it at most. The work is bounded by `most`, too."""
    if len(text) <= most + MARGIN:
        return mask_text(text).text[:most]
    seen = mask_text(text[: most + MARGIN]).text
    return seen[: max(0, min(most, len(seen) - MARGIN))]
