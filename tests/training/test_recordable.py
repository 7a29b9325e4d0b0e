"""Every kind of training has steps that a CUDA graph can hold; found where there is no GPU.

Model and batches are on the device "meta", which has shapes and no numbers. An operation that must
know a number, or whose shape depends on one, is an error there, as it is in a recording.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from helpers import runtime
from helpers.corpora import Grammar, LagLanguage, Patches, Task, TreeLanguage
from helpers.corpora.inputs import places_loss
from helpers.corpora.wordpiece import MASK, PAD, SPECIAL
from helpers.course import settings
from helpers.course.authoring import source
from helpers.encodings import available, create
from helpers.model.bert import Bert, Pretraining, preset
from helpers.model.encoder import Encoder
from helpers.training import finetuning, loop, masked_loss, recording, together
from helpers.training.finetuning import Labelled
from helpers.training.optimizer import OPTIMIZERS, Updates
from helpers.training.pretraining import grammar_batches

GRAMMAR = Grammar()
OF_TREES = {"tree_depth", "tree_offsets"}
HELD: list[str] = []  # a word for each step that was held


class OnOneDevice(TorchDispatchMode):
    """Refuses what lies between the CPU's memory and another: there a GPU makes the CPU wait."""

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        tensors = [each for each in tree_leaves((args, kwargs, result)) if isinstance(each, Tensor)]
        if len({each.device for each in tensors}) > 1:
            raise RuntimeError(f"{function} is asked of two devices")
        return result


class Held:
    """Stands in for `recording.Recorded`: each step is made as a graph would have to hold it."""

    def __init__(self, step: recording.Step, *_: Any, **__: Any) -> None:
        self.step = step

    def __call__(self, batch: Any) -> Tensor:
        with OnOneDevice():
            value = self.step(batch)
        HELD.append("held")
        return value


@pytest.fixture(autouse=True)
def _on_meta(monkeypatch: pytest.MonkeyPatch) -> None:
    HELD.clear()
    monkeypatch.setattr(recording, "available", lambda device: device.type == "meta")
    monkeypatch.setattr(recording, "Recorded", Held)
    monkeypatch.setattr(loop, "_unrecordable", lambda *_: "")
    monkeypatch.setattr(Updates, "end", lambda _: None)  # AdamW's kernel, which follows the graph


def _train(
    model: nn.Module,
    next_batch: Callable[[], Any],
    steps: int,
    lr: float = 6e-3,
    *,
    loss: Callable[[nn.Module, Any], Tensor] = masked_loss,
    optimizer: str = "adamw",
    scaled: bool = False,
    accumulate: int = 1,
    **_: Any,
) -> list[float]:
    """Take `train`'s first two steps on "meta", and return no losses."""
    model.to("meta")
    updates = Updates(model, optimizer, lr, steps, scaled)
    step = loop.training_step(model, loss, updates, accumulate=accumulate)
    for _step in range(2):
        step(tree_map_only(Tensor, lambda each: each.to("meta"), next_batch()))
    assert len(HELD) == 2
    return []


@pytest.mark.parametrize("encoding", sorted({*available()} - OF_TREES))
def test_pretraining_with_each_encoding(encoding: str) -> None:
    size = preset(vocab_size=GRAMMAR.vocab_size, d_model=32, max_len=GRAMMAR.length)
    next_batch = grammar_batches(GRAMMAR, 4, seed=0, pool=20)
    _train(Pretraining(Bert(size, encoding)), next_batch, 9, loss=places_loss, optimizer="muon")


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("scaled", [True, False])
def test_pretraining_as_in_the_paper_in_parts_and_scaled(optimizer: str, scaled: bool) -> None:
    size = preset("base", vocab_size=GRAMMAR.vocab_size, d_model=36, num_layers=2)
    next_batch = grammar_batches(GRAMMAR, 4, seed=0, pool=20)
    options: dict[str, Any] = {"optimizer": optimizer, "scaled": scaled, "accumulate": 2}
    _train(Pretraining(Bert(size)), next_batch, 9, loss=places_loss, **options)


TASKS = [
    ("rotary", LagLanguage()), ("rotary_2d", Patches()), ("learned_2d", Patches()),
    ("tree_offsets", TreeLanguage(told="offsets")), ("tree_depth", TreeLanguage(told="depths")),
]  # fmt: skip


WORDS = [(name, LagLanguage()) for name in sorted({*available()} - OF_TREES)]


@pytest.mark.parametrize(
    ("encoding", "task", "number"),
    [*((*each, 2) for each in WORDS + TASKS), *((*each, 1) for each in TASKS)],
)
def test_small_encoders_alone_and_together(
    encoding: str, task: Task, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "train", _train)
    sizes = {"d_model": 16, "num_heads": 2, "max_len": 16}
    models = [Encoder(create(encoding, **sizes), task.vocab_size) for _ in range(number)]
    batches = [partial(task.batch, 4, 16, Generator().manual_seed(n)) for n in range(number)]
    together.train_together(models, batches, 9)


@pytest.mark.parametrize("frozen", [True, False])
def test_fine_tuning(frozen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finetuning, "train", _train)
    tokens = GRAMMAR.sample(8, Generator())
    body = Bert(preset(vocab_size=GRAMMAR.vocab_size, d_model=16, num_layers=1))
    finetuning.tune(body, 16, Labelled(tokens, (tokens[:, 0] > 5).long()), seed=0, frozen=frozen)


def _unit_08() -> dict[str, Any]:
    """What unit 08 trains with on English, on rows of random words with padding behind them."""
    course = settings.find()
    rows = torch.randint(5, 100, (40, 64), generator=Generator().manual_seed(0))
    rows[:, 0], rows[::2, 40:] = 2, PAD
    namespace: dict[str, Any] = {
        "torch": torch, "F": F, "Generator": Generator, "runtime": runtime,
        "size_english": preset(vocab_size=100), "text_rows": (rows, rows % 2, rows[:, 1] % 2),
        "MASK": MASK, "PAD": PAD, "SPECIAL": SPECIAL,
    }  # fmt: skip
    for unit, wanted in (
        ("07-bert-inputs", ("def mask_words", "def padding_mask")),
        ("08-mini-bert", ("def mlm_loss", "def both_tasks")),
    ):
        for cell in source.read(course.text(unit)):
            if cell.type == "code" and any(each in cell.text for each in wanted):
                exec(cell.text, namespace)
    namespace["my_loss"] = namespace["mlm_loss"]
    return namespace


def test_unit_08_on_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "full")
    unit, size = _unit_08(), preset(vocab_size=100, d_model=16)

    def loss(asked: nn.Module, given: Any) -> Tensor:
        return torch.stack(unit["both_tasks"](asked, given)).sum()

    batches = [unit["batch"](size=8) for _ in range(9)]
    assert all(recording.layout(each) == recording.layout(batches[0]) for each in batches)
    for seen, segments, labels, hidden, targets in batches:
        model = Pretraining(Bert(size, "rotary"))
        assert targets[-1] == -100  # there was room for all that are hidden
        x = model.bert(seen, segments, seen != PAD)
        words = F.cross_entropy(model.mlm_logits(x).flatten(0, 1)[hidden], targets)
        pairs = F.cross_entropy(model.nsp_logits(x), labels)
        assert loss(model, (seen, segments, labels, hidden, targets)).item() == pytest.approx(
            (words + pairs).item(), abs=1e-5
        )
    _train(model, lambda: batches[0], 9, loss=loss, optimizer="muon")


@pytest.mark.parametrize(
    "waits",
    [
        lambda x: x[x > 0].sum(),
        lambda x: x.masked_select(x > 0).sum(),
        lambda x: x.sum() * float(x.sum()),
        lambda x: (x + torch.ones(4).to(x.device)).sum(),
        lambda x: x[torch.tensor([0, 1])].sum(),
        lambda x: torch.where(x > 0, x, torch.tensor(0.0)).sum(),
    ],
)
def test_what_would_wait_for_the_gpu_is_refused(waits: Callable[[Tensor], Tensor]) -> None:
    model = nn.Linear(4, 4)
    with pytest.raises((RuntimeError, NotImplementedError)):
        _train(model, lambda: torch.ones(2, 4), 9, loss=lambda asked, x: waits(asked(x)))
