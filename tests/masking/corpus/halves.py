"""The two halves of the corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.masking.corpus.held_out import HELD_OUT
from tests.masking.corpus.held_out_look_alikes import HELD_OUT_LOOK_ALIKES
from tests.masking.corpus.known import KNOWN
from tests.masking.corpus.look_alikes import LOOK_ALIKES
from tests.masking.corpus.making import Kind, LookAlike


@dataclass(frozen=True, slots=True)
class Half:
    """An open half may be looked at by those who write rules; of the other they see figures."""

    name: str
    is_open: bool
    kinds: Sequence[Kind]
    look_alikes: Sequence[LookAlike]


HALVES: Final = [
    Half("known", True, KNOWN, LOOK_ALIKES),
    Half("held out", False, HELD_OUT, HELD_OUT_LOOK_ALIKES),
]
