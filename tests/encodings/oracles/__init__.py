"""Each encoding beside an implementation that someone else wrote: (ours, theirs), in float64.

`ORACLES` is what the tests compare and what the table in docs/encodings.md is made of.
"""

from tests.encodings.oracles import (  # noqa: F401 - each adds its own
    input_and_turned,
    offsets,
    read,
    recorded,
    rope_scaling,
    structure,
)
from tests.encodings.oracles.comparison import ORACLES, Oracle

__all__ = ["ORACLES", "Oracle"]
