"""docs/encodings.md: every encoding with its formula, hooks, size, and how far it is from others.

Run `make table`; a test compares the file with what this would write.
"""

import torch

from helpers.encodings import REGISTRY, create, hooks_of
from helpers.model.attention import MultiHeadAttention
from tests.common import ROOT
from tests.encodings import hooks
from tests.encodings.oracles import ORACLES, Oracle

PATH = ROOT / "docs" / "encodings.md"
ROUNDING = 1e-14
SIZES = {"d_model": 64, "num_heads": 4, "max_len": 32}

HEAD = """\
# Every encoding, and what it was compared with

Written by `make table`.

`create(name, d_model=…, num_heads=…, max_len=…)` builds an encoding by its name. Offsets are j − i
for query i and key j. *Parameters* are counted at D = 64, H = 4, max_len = 32. *Longer* says
whether a text beyond max_len can be read at all; the lessons measure whether it is read well.

*Off by* is the largest difference from the other implementation in float64; below 1e-14 it is
rounding alone. Each is compared with its formula, one pair at a time, too. *Recorded* are numbers
of others' code that cannot be installed beside ours; `tests/encodings/oracles/record.py` says how
to repeat them.
"""
COLUMNS = ["name", "paper", "formula", "hooks", "parameters", "longer", "compared with", "off by"]


def residual(oracle: Oracle) -> float:
    """Largest difference between ours and theirs."""
    torch.manual_seed(0)
    ours, theirs = oracle.pair()
    return (ours - theirs).abs().max().item()


def reads_longer(name: str) -> bool:
    """Whether a text of twice max_len goes through."""
    attention = MultiHeadAttention(create(name, **SIZES))
    length = 2 * SIZES["max_len"]
    positions = torch.arange(length) if name == "tree_depth" else None
    offsets = torch.zeros(length, length).long() if name == "tree_offsets" else None
    try:
        x = torch.zeros(1, length, SIZES["d_model"])
        at = hooks.told(x, positions, offsets)
        attention(attention.encoding.embed(x, at), None, at)
    except ValueError:
        return False
    return True


def rows() -> list[list[str]]:
    """One row for each encoding and each that it was compared with, all cells as text."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    found = []
    for name, entry in REGISTRY.items():
        encoding = create(name, **SIZES)
        size = sum(parameter.numel() for parameter in encoding.parameters())
        used = ", ".join(hooks_of(entry.kind)) or "–"
        longer = "yes" if reads_longer(name) else "no"
        first = [f"`{name}`", entry.paper, entry.formula, used, f"{size:,}", longer]
        oracles = [each for each in ORACLES if each.encoding == name]
        for each in oracles:
            note = f"; {each.note}" if each.note else ""
            # Smaller numbers differ from machine to machine, and so would the page.
            off_by = max(residual(each), ROUNDING)
            sign = "< " if off_by == ROUNDING else ""
            found.append([*first, each.whose + note, f"{sign}{off_by:.0e}"])
            first = [""] * len(first)
        if not oracles:
            found.append([*first, "the formula, pair by pair", "< 1e-10"])
    torch.set_default_dtype(before)
    return found


def as_markdown(cells: list[list[str]]) -> str:
    """The page, with a table of these cells."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *cells]
    table = ["| " + " | ".join(c.replace("|", r"\|") for c in line) + " |" for line in lines]
    return HEAD + "\n" + "\n".join(table) + "\n"


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(as_markdown(rows()), encoding="utf-8")
    print(PATH)
