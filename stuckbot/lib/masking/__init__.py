"""The door every free text passes before it is stored.

`Masked` and `MaskedValue` can only be made here, and storing takes nothing else, so the type
checker proves that no text slips past. What counts as a secret is in the modules beside this one.
"""

from stuckbot.lib.masking.door import (
    Masked,
    MaskedValue,
    looks_secret,
    mask_text,
    mask_value,
)
from stuckbot.lib.masking.spans import REDACTED, Finding

__all__ = [
    "REDACTED",
    "Finding",
    "Masked",
    "MaskedValue",
    "looks_secret",
    "mask_text",
    "mask_value",
]
