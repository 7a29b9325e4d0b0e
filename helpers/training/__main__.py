"""Train a mini BERT on the grammar, in one process or in many.

    python -m helpers.training --steps 500 --out runs
    torchrun --standalone --nproc_per_node=2 -m helpers.training --steps 500 --out runs

Each process trains on its part of the batch, so that the curve is that of one process.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist

# Its functions take the group of that moment as a default, and so hold it to the end: imported
# later, as DistributedDataParallel does, the group's threads would outlive Python and abort it.
import torch.distributed.nn
from torch import Generator

from helpers.corpora import Grammar
from helpers.corpora.inputs import MlmBatch, places_loss
from helpers.model.bert import Bert, Pretraining, preset
from helpers.runtime import seed_everything
from helpers.training import evaluate, train
from helpers.training.loop import PRECISIONS
from helpers.training.optimizer import OPTIMIZERS
from helpers.training.pretraining import grammar_batches


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="helpers.training", description=__doc__)
    parser.add_argument("--encoding", default="learned", help="a name for helpers.encodings.create")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=64, help="rows in all processes together")
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="adamw")
    parser.add_argument("--precision", choices=list(PRECISIONS), default="float32")
    parser.add_argument("--compile", action="store_true", help="torch.compile the model")
    parser.add_argument("--every", type=int, default=200, help="steps between checkpoints")
    parser.add_argument("--out", type=Path, required=True, help="folder; a run there goes on")
    return parser.parse_args()


def _shared(next_batch: Callable[[], MlmBatch], rank: int, world: int) -> Callable[[], MlmBatch]:
    """This process's rows of each batch."""
    return lambda: MlmBatch(*(each[rank::world] for each in next_batch()))


def main() -> None:
    """Train, evaluate on fixed text, and write OUT/losses.json and OUT/model.pt."""
    options = _arguments()
    world, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("LOCAL_RANK", 0))
    if options.batch % world:
        raise SystemExit(f"--batch {options.batch} must be a multiple of the {world} processes")
    cuda = torch.cuda.is_available()
    device = f"cuda:{rank}" if cuda else "cpu"
    if world > 1:
        dist.init_process_group("nccl" if cuda else "gloo")
    grammar = Grammar()
    seed_everything(options.seed)
    size = preset(vocab_size=grammar.vocab_size, max_len=grammar.length)
    model = Pretraining(Bert(size, options.encoding)).to(device)
    next_batch = grammar_batches(grammar, options.batch, options.seed, device)
    test = grammar.batch(1000, grammar.length, Generator().manual_seed(10_000))
    bayes_loss = grammar.bayes_loss(test)
    losses = train(
        model,
        _shared(next_batch, dist.get_rank(), world) if world > 1 else next_batch,
        options.steps,
        options.lr,
        loss=places_loss,
        optimizer=options.optimizer,
        precision=options.precision,
        compile=options.compile,
        checkpoint=options.out / "model.pt",
        every=options.every,
        bayes_loss=bayes_loss,
        label=options.encoding,
    )
    if rank == 0:
        score = evaluate(model.cpu(), test)
        found = {
            "losses": losses,
            "loss": score.loss,
            "accuracy": score.accuracy,
            "limit": bayes_loss,
        }
        (options.out / "losses.json").write_text(json.dumps(found))
        print(f"loss {score.loss:.3f}, limit {bayes_loss:.3f}, accuracy {score.accuracy:.3f}")
    if world > 1:
        dist.barrier()  # nobody hangs up while another still has something to say
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
