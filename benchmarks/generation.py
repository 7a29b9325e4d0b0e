"""Tokens written one by one with a KV cache: our decoder beside two of transformers.

D = 256, H = 4, L = 4, V = 1,000, B = 4, float32; each extension of RoPE behind 256, 1,024 and
4,096 tokens that have been read. GPT-NeoX has the very layers of ours; Llama has its own, with
about as many parameters. All take turns, and the median counts. Freed memory is kept, for all
alike: in a fresh process that gives it back, ours takes a quarter more behind 1,024 tokens. Prints
seconds, bytes and targets; writes generation.json.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
import torch
from torch import Generator, Tensor
from tqdm import tqdm
from transformers import (
    DynamicCache,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
)

from benchmarks import timing
from benchmarks.timing import Step
from helpers import results, runtime
from helpers.encodings import create
from helpers.model.decoder import Cache, Decoder

D, H, L, V, B = 256, 4, 4, 1000, 4
LENGTHS = (256, 1024, 4096)
NEW = 8  # tokens in one step
SECONDS = 4.0  # spent at least on each extension and length
TRAINED, FACTOR = 128, 4.0
PEERS = ("GPT-NeoX", "Llama")

PAIRS = D // H // 2
LONG = {"original_max_position_embeddings": TRAINED, "factor": FACTOR}
BANDS = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
# Ours by name: theirs by type, with what a configuration has to say of it.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "rotary": {"rope_type": "default"},
    "interpolated": {"rope_type": "linear", "factor": FACTOR},
    "yarn": {"rope_type": "yarn", **LONG},
    "llama3": {"rope_type": "llama3", **LONG, **BANDS},
    "dynamic_ntk": {"rope_type": "dynamic", "factor": FACTOR},
    "longrope": {
        "rope_type": "longrope",
        **LONG,
        "long_factor": [FACTOR] * PAIRS,
        "short_factor": [1.0] * PAIRS,
    },
}
# transformers turns a new key only, and leaves those of its cache as they were turned for a
# shorter text: ours does so if told to. Else it turns all of them anew, as the papers have it,
# which no other does, so that there is nothing to be as quick as.
BY_LENGTH = ("dynamic_ntk", "longrope")
ANEW = ", all keys anew"
NAMES = (*EXTENSIONS, *(name + ANEW for name in BY_LENGTH))


def _text(length: int) -> Tensor:
    return torch.randint(V, (B, length), generator=Generator().manual_seed(0))


def ours(name: str, length: int) -> tuple[Step, int]:
    """Write `NEW` tokens behind `length` that have been read, and the bytes that these keep."""
    name, anew = name.removesuffix(ANEW), name.endswith(ANEW)
    options: dict[str, Any] = (
        {} if name == "rotary" else {"factor": FACTOR, "original_max_len": TRAINED}
    )
    if name in BY_LENGTH:
        options["rerotate"] = anew
    sizes: dict[str, Any] = {
        "d_model": D,
        "num_heads": H,
        "max_len": length + NEW,
        "layout": "halves",
    }
    model, tokens = Decoder(create(name, **sizes, **options), V, L).eval(), _text(length)
    read = model.new_cache()
    with torch.no_grad():
        model(tokens, cache=read)

    @torch.no_grad()
    def step() -> None:
        cache, following = _copied(read), tokens[:, -1:]
        for _ in range(NEW):
            following = model(following, cache=cache)[:, -1].argmax(-1, keepdim=True)

    step()  # which makes room for more
    none = torch.empty(B, H, 0, D // H)
    return step, sum(kept.nbytes for each in read.layers for kept in each.update(none, none))


def _copied(cache: Cache) -> Cache:
    """Another that goes on from here; it writes where this one has nothing yet."""
    copied = Cache(len(cache.layers))
    vars(copied).update(vars(cache) | {"layers": copied.layers})
    for own, other in zip(copied.layers, cache.layers, strict=True):
        vars(own).update(vars(other))
    return copied


def theirs(peer: str, name: str, length: int) -> tuple[Step, int]:
    """The same with a model of transformers."""
    sizes: dict[str, Any] = {
        "hidden_size": D,
        "num_hidden_layers": L,
        "num_attention_heads": H,
        "vocab_size": V,
    }
    rope: dict[str, Any] = {"rope_theta": 10_000.0, **EXTENSIONS[name.removesuffix(ANEW)]}
    longest: dict[str, Any] = {
        "max_position_embeddings": int(TRAINED * FACTOR),
        "attn_implementation": "sdpa",
    }
    model: Any
    if peer == "Llama":
        config = LlamaConfig(**sizes, **longest, intermediate_size=8 * D // 3, rope_parameters=rope)
        model = LlamaForCausalLM(config).eval()
    else:
        rope["partial_rotary_factor"] = 1.0
        own: dict[str, Any] = {"intermediate_size": 4 * D, "use_parallel_residual": False}
        model = GPTNeoXForCausalLM(
            GPTNeoXConfig(**sizes, **longest, **own, rope_parameters=rope)
        ).eval()
    tokens, cache = _text(length), DynamicCache()
    ask = partial(model, past_key_values=cache, use_cache=True)
    with torch.no_grad():
        ask(tokens)
    layers: Any = cache.layers
    kept = sum(each.keys.nbytes + each.values.nbytes for each in layers)

    @torch.no_grad()
    def step() -> None:
        following = tokens[:, -1:]
        for _ in range(NEW):
            following = ask(following).logits[:, -1].argmax(-1, keepdim=True)
        cache.crop(-NEW)

    step()
    return step, kept


def measure(names: Iterable[str] = NAMES, lengths: Iterable[int] = LENGTHS) -> pd.DataFrame:
    """A row for each extension, length and model: seconds a token, and bytes a token read."""
    runtime.keep_freed_memory()  # or what runs before any longer text were slower than what follows
    rows = []
    for name, length in tqdm([*product(names, lengths)], desc="extension"):
        made = {"ours": ours(name, length)}
        made |= {peer: theirs(peer, name, length) for peer in PEERS}
        timers = {model: partial(timing.seconds, step) for model, (step, _) in made.items()}
        for model, seconds in timing.in_turn(timers, SECONDS).items():
            row = {"extension": name, "T": length, "model": model, "seconds": seconds / NEW}
            rows.append(row | {"bytes": made[model][1] / length})
    return pd.DataFrame(rows)


def targets(table: pd.DataFrame) -> list[str]:
    """What was measured of each extension; a line begins with "met", "missed" or nothing."""
    lines = []
    for name, each in table.groupby("extension", sort=False):
        seconds = each.pivot_table("seconds", "T", "model")
        ratios = seconds["ours"] / seconds[list(PEERS)].min(axis=1)
        text = ", ".join(f"{value:.2f} at {length}" for length, value in ratios.items())
        if str(name).endswith(ANEW):
            lines.append(f"       {name}: time over the fastest: {text} (which turns one key)")
        else:
            word = "met   " if (ratios <= 1.1).all() else "missed"
            lines.append(f"{word} {name}: time over the fastest: {text} (at most 1.10)")
    most = table.pivot_table("bytes", ["extension", "T"], "model")
    ratio = float((most["ours"] / most[list(PEERS)].min(axis=1)).max())
    word = "met   " if ratio <= 1.1 else "missed"
    return [
        *lines,
        f"{word} bytes kept of each token read, over the least: {ratio:.2f} (at most 1.10)",
    ]


def main() -> None:
    """Measure, print, and store."""
    table = measure()
    wide = table.assign(ms=1e3 * table["seconds"])
    print(wide.pivot_table("ms", ["extension", "T"], "model", sort=False).round(2))
    lines = targets(table)
    print("\n".join(lines))
    path = results.save("generation", table, "make bench")
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
