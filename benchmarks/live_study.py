"""Six small mini BERTs for the page, alike but for their encoding: web/live/weights/.

One training run each, which does not say which encoding is better; the studies with three seeds
do. Beside the weights stand, in weights.json, the vocabulary, the loss on sentences that no model
has read, the part of hidden pieces filled right there, and how far the rounding moves a logit.
"""

from __future__ import annotations

import datetime
import json
import time
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks import live_weights
from benchmarks.live_text import LONGEST, SOURCES, Sentences, masked_batches, one_hidden, sentences
from benchmarks.sweep import ROOT, code_now
from helpers import runtime
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining, Size, preset
from helpers.training import train

WEIGHTS = ROOT / "web" / "live" / "weights"
ENCODINGS = ("none", "sinusoidal", "learned", "rotary", "alibi", "shaw")
SIZE = preset("mini", vocab_size=1200, d_model=56, num_heads=4, max_len=LONGEST)
STEPS, TOKENS, SEED = 2500, 1536, 0
FRACTION = 0.25  # of the pieces that are hidden in training
TRAINING: dict[str, Any] = {"lr": 5e-3, "optimizer": "muon", "precision": "float32"}


def trained(encoding: str, text: Sentences, size: Size, steps: int, kept: Path) -> Pretraining:
    """A model with one encoding; what has been trained lies in the folder `kept`."""
    runtime.seed_everything(SEED)
    model = Pretraining(Bert(size, encoding))
    next_batch = masked_batches(text.training, size.vocab_size, TOKENS, FRACTION, SEED)
    options = TRAINING | {"loss": places_loss, "label": encoding}
    kept.mkdir(parents=True, exist_ok=True)
    train(model, next_batch, steps, checkpoint=kept / f"{encoding}.pt", **options)
    return model.eval()


@torch.no_grad()
def scores(exact: nn.Module, rounded: nn.Module, testing: dict[int, Tensor]) -> dict[str, float]:
    """Of the rounded model: loss and share of right fillings, one hidden piece a sentence.

    And the largest difference of a logit that the rounding makes, at these places.
    """
    loss, right, count, moved = 0.0, 0, 0, 0.0
    for length, rows in testing.items():
        inputs, place, word = one_hidden(rows, SEED + length)
        logits, before = (model(inputs, place)[:, 0] for model in (rounded, exact))
        loss += F.cross_entropy(logits, word[:, 0], reduction="sum").item()
        right += int((logits.argmax(-1) == word[:, 0]).sum())
        count += len(rows)
        moved = max(moved, (logits - before).abs().max().item())
    return {"loss": loss / count, "right": right / count, "sentences": count, "moved": moved}


def exported(model: Pretraining, encoding: str, text: Sentences, out: Path) -> dict[str, Any]:
    """Write the weights; what the index says of them."""
    weights = live_weights.read_by_the_page(model)
    shapes = live_weights.shapes(weights)
    content = live_weights.pack(weights)
    (out / f"{encoding}.bin").write_bytes(content)
    rounded = Pretraining(Bert(model.bert.size, encoding)).eval()
    rounded.load_state_dict(model.state_dict())
    live_weights.load(rounded, live_weights.unpack(content, shapes))
    return {"shapes": shapes, "bytes": len(content)} | scores(model, rounded, text.testing)


def study(text: Sentences, size: Size, steps: int, out: Path, kept: Path) -> dict[str, Any]:
    """Train all six, write `out`, and give what its index says of each."""
    out.mkdir(parents=True, exist_ok=True)
    found = {}
    for encoding in ENCODINGS:
        begun = time.process_time()
        model = trained(encoding, text, size, steps, kept)
        found[encoding] = exported(model, encoding, text, out)
        line = {k: v for k, v in found[encoding].items() if k != "shapes"}
        print(f"{encoding:12} {line} {time.process_time() - begun:.0f} s", flush=True)
    index = {
        "command": "make study",
        "date": datetime.date.today().isoformat(),
        "machine": runtime.machine(),
        "text": {"sources": SOURCES, "digest": text.digest, "sentences": _count(text.training)},
        "training": {"steps": steps, "tokens": TOKENS, "hidden": FRACTION, "seed": SEED},
        "size": {name: getattr(size, name) for name in ("d_model", "num_layers", "num_heads")},
        "longest": size.max_len,
        "vocabulary": text.vocabulary,
        "encodings": found,
    }
    (out / "weights.json").write_text(json.dumps(index) + "\n", encoding="utf-8")
    return found


def _count(rows: dict[int, Tensor]) -> int:
    return sum(map(len, rows.values()))


def main() -> None:
    """Run the study."""
    torch.set_num_threads(1)  # the same numbers again, however many cores there are
    index = WEIGHTS / "weights.json"
    known = json.loads(index.read_text(encoding="utf-8"))["vocabulary"] if index.exists() else ()
    text = sentences(SIZE.vocab_size, known)
    study(text, SIZE, STEPS, WEIGHTS, ROOT / "build" / f"live-{code_now()}")


if __name__ == "__main__":
    main()
