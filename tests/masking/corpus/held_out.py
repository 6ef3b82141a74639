"""The held-out half: vendors that no rule names.

Those who write rules do not read this file or its neighbours `held_out_*.py`, and no rule may name
a vendor that is only here: what is found in this half is found by general rules. A kind that a rule
was written for moves to the known half.
"""

from typing import Final

from tests.masking.corpus.held_out_hosting import BUILDS, DATABASES, HOSTING
from tests.masking.corpus.held_out_services import MESSAGES, MODELS, MONEY, PEOPLE, WATCHING
from tests.masking.corpus.held_out_styles import CLUSTERS, CONNECTIONS, FILES
from tests.masking.corpus.held_out_tools import DOCKER, TOOLS
from tests.masking.corpus.making import Kind

HELD_OUT: Final[list[Kind]] = [
    *BUILDS,
    *HOSTING,
    *DATABASES,
    *WATCHING,
    *PEOPLE,
    *MESSAGES,
    *MONEY,
    *MODELS,
    *CONNECTIONS,
    *FILES,
    *CLUSTERS,
    *TOOLS,
    *DOCKER,
]
