"""Fine-tuning on two questions whose answers are known: do the verbs agree, and is it one text?

`agreement`: half of the texts are the grammar's own. In the others two verbs, one singular and one
plural, have changed places. The words are the same, so who only counts them must guess.

`pairs`: BERT's second task. In half of the texts the second half comes from another text.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from helpers.corpora import Grammar
from helpers.training import train


class Labelled(NamedTuple):
    """Token ids (N, T), and 1 where two verbs have changed places, else 0, (N,)."""

    tokens: Tensor
    labels: Tensor


def agreement(grammar: Grammar, number: int, generator: Generator) -> Labelled:
    """Draw `number` texts, each with its label; about half of them are 1."""
    endings = torch.tensor([_ending(word) for word in grammar.words])
    sentences = torch.zeros(grammar.length, dtype=torch.bool)
    sentences[grammar.chain()] = True
    found: list[Tensor] = []
    count = 0
    while count < number:
        tokens = grammar.sample(number, generator)
        ending = endings[tokens] * sentences
        fits = (ending == 1).any(1) & (ending == 2).any(1)
        found.append(tokens[fits])
        count += int(fits.sum())
    tokens = torch.cat(found)[:number]
    labels = (torch.rand(number, generator=generator) < 0.5).long()
    ending = endings[tokens] * sentences
    lucky = torch.rand(tokens.shape, generator=generator)
    places = torch.stack([(lucky * (ending == each)).argmax(1) for each in (1, 2)], 1)  # (N, 2)
    swapped = tokens.scatter(1, places, tokens.gather(1, places.flip(1)))
    return Labelled(torch.where(labels[:, None] == 1, swapped, tokens), labels)


def pairs(grammar: Grammar, number: int, generator: Generator) -> Labelled:
    """Draw `number` texts; the label is 1 where the second half is of another text, else 0."""
    tokens, others = (grammar.sample(number, generator) for _ in range(2))
    labels = (torch.rand(number, generator=generator) < 0.5).long()
    second = torch.arange(grammar.length) >= grammar.length // 2
    return Labelled(torch.where(second & (labels[:, None] == 1), others, tokens), labels)


def _ending(word: str) -> int:
    """Return 1 for a singular verb, 2 for a plural one, 0 for all other words."""
    return "_sp".index(word[-1]) if word.startswith("verb") else 0


class Classifier(nn.Module):
    """Says which of two kinds a text is, from the mean of `body` over its places.

    Args:
        body: token ids (B, T) → (B, T, D): a `Bert`, or an embedding, for a bag of words.
        width: D.
    """

    def __init__(self, body: nn.Module, width: int) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, tokens: Tensor) -> Tensor:
        """Map (B, T) → logits (B, 2)."""
        return self.head(self.body(tokens).mean(1))


def tune(
    body: nn.Module,
    width: int,
    data: Labelled,
    seed: int,
    steps: int = 300,
    lr: float = 1e-3,
    frozen: bool = False,
    precision: str = "float32",
    label: str = "fine-tuning",
) -> Classifier:
    """Train a classifier where `data` is; `body` learns along, or not if `frozen`.

    `precision` is that of `train`.
    """
    torch.manual_seed(seed)
    model = Classifier(body, width).to(data.tokens.device)
    body.requires_grad_(not frozen)
    draw = Generator().manual_seed(seed)

    def batch() -> Labelled:
        rows = torch.randint(len(data.tokens), (64,), generator=draw)
        return Labelled(data.tokens[rows], data.labels[rows])

    def loss(asked: nn.Module, given: Labelled) -> Tensor:
        return F.cross_entropy(asked(given.tokens).float(), given.labels)

    train(model, batch, steps, lr, loss=loss, precision=precision, label=label)
    return model


@torch.no_grad()
def accuracy(model: Classifier, data: Labelled) -> float:
    """Return the share of the texts whose label is guessed right."""
    model.eval()
    guesses = torch.cat([model(rows).argmax(-1) for rows in data.tokens.split(200)])
    return int((guesses == data.labels).sum()) / len(guesses)
