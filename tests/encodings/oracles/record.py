"""Write recorded.json: what others' code gives that cannot be installed beside ours.

    python -m tests.encodings.oracles.record FOLDER [NAME …]

FOLDER holds what `SOURCES` names, as it was at that version: NeMo's wheel, unpacked, and clones of
the other two. None of the three is on the package index as a library that leaves others alone.
Where names are given, the numbers of the other encodings stay as they are.
"""

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from tests.encodings.oracles.recorded import PATH, SOURCES, D, H, T

NEMO = "nemo.collections.nlp.modules.common.megatron.position_embedding."


def kerple(folder: Path) -> dict[str, Any]:
    """The logarithmic kernel."""
    _module(folder / "NeMo", NEMO + "alibi_relative_position_embedding")  # the other imports it
    module = _module(folder / "NeMo", NEMO + "kerple_relative_position_embedding")
    theirs = module.KERPLERelativePositionEmbedding(True, H, None, max_seq_len=T)
    with torch.no_grad():
        theirs.kerple_b.copy_(torch.rand(H, 1, 1) + 0.5)
        theirs.kerple_a.copy_(torch.rand(H, 1, 1) + 0.5)
    return {"r1": theirs.kerple_b.flatten(), "r2": theirs.kerple_a.flatten(), "bias": theirs(T, T)}


def fire(folder: Path) -> dict[str, Any]:
    """In float32, as it insists on, and without what it adds to each logarithm's argument."""
    sys.path.insert(0, str(folder / "nanoGPT"))
    module = _module(folder / "nanoGPT", "variations.position_encoding_variations")
    config: dict[str, float] = {"num_hidden_layers": 1, "mlp_width": 5, "outermost_sigma": False}
    config |= {"init_c": 0.7, "init_L": 3.0, "log_bias": 1.0}
    named = SimpleNamespace(**{f"fire_{name}": value for name, value in config.items()})
    theirs = module.FIRE(named, H, eps=0.0).float()
    found = {"c": theirs.c, "threshold": theirs.init_L, "bias": theirs(torch.zeros(1, T, 1))}
    return found | {f"f.{name}": value for name, value in theirs.mlp.state_dict().items()}


def tupe(folder: Path) -> dict[str, Any]:
    """A whole layer, without the bias by offset."""
    sys.path.insert(0, str(folder / "tupe"))
    config = importlib.import_module("tupe.config").TUPEConfig(
        num_heads=H, d_model=D, max_len=T, dropout=0.0, relative_bias=False
    )
    table = torch.randn(T, D)
    attention = importlib.import_module("tupe.attention").TUPEMultiHeadAttention
    theirs = attention(config, lambda length: table[None, :length]).double().eval()
    x = torch.randn(1, T, D)
    key, query = theirs.pos_kq.weight.chunk(2)
    words = theirs.tok_kqv.weight.chunk(3)  # in its order: keys, queries, values
    found = {"x": x, "table": table, "query": query, "key": key, "out": theirs(x)}
    return found | dict(zip(("words_k", "words_q", "words_v"), words, strict=True))


def _module(folder: Path, name: str) -> Any:
    """One file, without its package, which would import half of what its authors have."""
    spec = importlib.util.spec_from_file_location(
        name, folder.joinpath(*name.split(".")).with_suffix(".py")
    )
    assert spec and spec.loader
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folder: Path, names: list[str]) -> None:
    """Ask those named; all, if none is."""
    torch.set_default_dtype(torch.float64)
    stored = json.loads(PATH.read_text(encoding="utf-8"))
    for name in names or SOURCES:
        torch.manual_seed(0)
        numbers = {key: each.tolist() for key, each in globals()[name](folder).items()}
        stored[name] = {"source": SOURCES[name], **numbers}
    PATH.write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
