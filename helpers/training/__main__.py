"""Train a BERT on the grammar, on the course's English or on a folder of texts.

    python -m helpers.training --steps 500 --out runs
    python -m helpers.training --size base --text english --precision bfloat16 --compile --out runs
    torchrun --standalone --nproc_per_node=2 -m helpers.training --steps 500 --out runs

In several processes, each trains on its part of the batch, so that the curve is that of one.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
import torch.distributed as dist

# Its functions take the group of that moment as a default, and so hold it to the end: imported
# later, as DistributedDataParallel does, the group's threads would outlive Python and abort it.
import torch.distributed.nn
from torch import Generator

from helpers.corpora import Grammar, wordpiece
from helpers.corpora.english import docstrings, text_files
from helpers.corpora.inputs import MlmBatch, places_loss
from helpers.corpora.text import tokenized
from helpers.model.bert import PRESETS, Bert, Pretraining, Size, preset
from helpers.runtime import seed_everything
from helpers.training import Score, evaluate, train
from helpers.training.loop import PRECISIONS, is_main_process
from helpers.training.optimizer import OPTIMIZERS
from helpers.training.pretraining import grammar_batches, text_batches, text_score

RATES = {"mini": 3e-3, "base": 1e-4, "large": 1e-4}  # the larger ones' are the paper's


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="helpers.training", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", choices=list(PRESETS), default="mini", help="the paper's or mini")
    parser.add_argument("--text", default="grammar", help="grammar, english, or a folder of *.txt")
    parser.add_argument("--encoding", default="learned", help="a name for helpers.encodings.create")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=64, help="rows in all processes together")
    parser.add_argument("--accumulate", type=int, default=1, help="parts of a process's rows")
    parser.add_argument("--lr", type=float, help=f"highest learning rate; of the size: {RATES}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="adamw")
    parser.add_argument("--precision", choices=list(PRECISIONS), default="float32")
    parser.add_argument("--compile", action="store_true", help="torch.compile the model")
    parser.add_argument("--every", type=int, default=200, help="steps between checkpoints")
    parser.add_argument("--out", type=Path, required=True, help="folder; a run there goes on")
    return parser.parse_args()


def _shared(next_batch: Callable[[], MlmBatch], rank: int, world: int) -> Callable[[], MlmBatch]:
    """Return a function that gives this process's rows of each batch."""
    return lambda: MlmBatch(*(each[rank::world] for each in next_batch()))


class Corpus(NamedTuple):
    """Holds what there is to read: a model's size for it, batches, a score, a loss beside."""

    size: Size
    next_batch: Callable[[], MlmBatch]
    score: Callable[[Pretraining], Score]  # on text that is the same for every model
    beside: tuple[str, float]


def _grammar(options: argparse.Namespace, device: str) -> Corpus:
    grammar = Grammar()
    size = preset(options.size, vocab_size=grammar.vocab_size, max_len=grammar.length)
    next_batch = grammar_batches(grammar, options.batch, options.seed, device)
    test = grammar.batch(1000, grammar.length, Generator().manual_seed(10_000))
    beside = ("limit", grammar.bayes_loss(test))
    return Corpus(size, next_batch, lambda model: evaluate(model.cpu(), test), beside)


def _text(options: argparse.Namespace, device: str) -> Corpus:
    english = docstrings() if options.text == "english" else text_files(Path(options.text))
    # Processes and a run that goes on number the pieces alike: only the first trains WordPiece.
    path = options.out / "tokenizer.json"
    if is_main_process() and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        wordpiece.save(tokenized(english, PRESETS[options.size].vocab_size).tokenizer, path)
    if dist.is_initialized():
        dist.barrier()
    text = tokenized(english, tokenizer=wordpiece.load(path))
    size = preset(options.size, vocab_size=text.tokenizer.get_vocab_size())
    rows, test = text.rows(size.max_len).to(device), text.rows(size.max_len, test=True)
    next_batch = text_batches(rows, size.vocab_size, options.batch, options.seed)
    beside = ("unigram", text.unigram_baseline())
    return Corpus(size, next_batch, lambda model: text_score(model, test), beside)


def main() -> None:
    """Train, evaluate on text that was kept back, and write OUT/losses.json and OUT/model.pt."""
    options = _arguments()
    world, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    if options.batch % world:
        raise SystemExit(f"--batch {options.batch} must be a multiple of the {world} processes")
    cuda, device = torch.cuda.is_available(), "cpu"
    if cuda:
        device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
        torch.cuda.set_device(device)  # else all processes would also hold memory on the first
    if world > 1:
        own = torch.device(device) if cuda else None  # or a barrier has to guess it
        dist.init_process_group("nccl" if cuda else "gloo", device_id=own)
    try:
        _run(options, device, rank, world)
        if world > 1:
            dist.barrier()  # nobody hangs up while another still has something to say
    finally:
        if world > 1:
            dist.destroy_process_group()


def _run(options: argparse.Namespace, device: str, rank: int, world: int) -> None:
    corpus = (_grammar if options.text == "grammar" else _text)(options, device)
    seed_everything(options.seed)
    model = Pretraining(Bert(corpus.size, options.encoding)).to(device)
    losses = train(
        model,
        _shared(corpus.next_batch, rank, world) if world > 1 else corpus.next_batch,
        options.steps,
        options.lr or RATES[options.size],
        loss=places_loss,
        optimizer=options.optimizer,
        precision=options.precision,
        compile=options.compile,
        accumulate=options.accumulate,
        checkpoint=options.out / "model.pt",
        every=options.every,
        baselines=dict([corpus.beside]),
        label=options.encoding,
    )
    if rank == 0:
        score, (name, beside) = corpus.score(model), corpus.beside
        found = {"losses": losses, **score._asdict(), name: beside}
        (options.out / "losses.json").write_text(json.dumps(found))
        print(f"loss {score.loss:.3f}, {name} {beside:.3f}, accuracy {score.accuracy:.3f}")


if __name__ == "__main__":
    main()
