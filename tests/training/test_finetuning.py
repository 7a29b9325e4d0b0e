"""Fine-tuning: the question is fair, and a frozen body stays as it is."""

import copy

import torch
from torch import Generator, nn

from helpers.corpora import Grammar
from helpers.model.bert import Bert, preset
from helpers.training.finetuning import accuracy, agreement, pairs, tune

GRAMMAR = Grammar()


def test_two_verbs_change_places_where_the_label_says_so() -> None:
    data = agreement(GRAMMAR, 400, Generator().manual_seed(0))
    assert data.tokens.shape == (400, 64) and 150 < int(data.labels.sum()) < 250
    for row, label in zip(data.tokens.tolist(), data.labels.tolist(), strict=True):
        subjects, wrong = list[str](), 0
        for word in (GRAMMAR.words[row[t]] for t in GRAMMAR.chain()):
            if word.startswith("noun"):
                subjects.append(word[-1])
            elif word.startswith("verb"):
                wrong += word[-1] != subjects.pop()
        assert wrong == 2 * label
    plain = GRAMMAR.sample(400, Generator().manual_seed(0))  # the same texts, nothing swapped
    known = {tuple(sorted(row)) for row in plain.tolist()}
    kept = sum(tuple(sorted(row)) in known for row in data.tokens.tolist())
    assert kept > 380  # the rest was drawn to fill up


def test_pairs_are_of_one_text_or_of_two() -> None:
    data = pairs(GRAMMAR, 600, Generator().manual_seed(4))
    plain = GRAMMAR.sample(600, Generator().manual_seed(4))  # where the first halves are from
    same = (data.tokens == plain).float()
    assert same[:, :32].min() == 1
    assert same[data.labels == 0].min() == 1
    two = same[data.labels == 1][:, 32:].mean(1)
    assert len(two) > 250 and two.max() < 0.9
    # The echo alone tells: of one text, most of the last words are the first ones.
    echoed = (data.tokens[:, 60:] == data.tokens[:, :4]).sum(1) >= 3
    assert ((~echoed).long() == data.labels).double().mean() > 0.9


def test_a_frozen_body_stays_as_it_is_and_a_bag_learns_nothing() -> None:
    size = preset(vocab_size=GRAMMAR.vocab_size, d_model=16, num_layers=1)
    data = agreement(GRAMMAR, 500, Generator().manual_seed(2))
    test = agreement(GRAMMAR, 2000, Generator().manual_seed(3))
    body = Bert(size)
    before = copy.deepcopy(body.state_dict())
    tune(body, 16, data, seed=0, steps=5, frozen=True)
    assert all(torch.equal(each, before[name]) for name, each in body.state_dict().items())
    tune(body, 16, data, seed=0, steps=5)
    assert not torch.equal(body.words.weight, before["words.weight"])
    bag = tune(nn.Embedding(size.vocab_size, 16), 16, data, seed=0, steps=100, lr=1e-2)
    assert abs(accuracy(bag, test) - 0.5) < 0.06
