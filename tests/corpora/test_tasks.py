"""The tree language against brute force, and the two moves."""

import itertools

import pytest
import torch
from torch import Generator

from helpers.corpora import MaskedBatch, Reverse, Shift, TreeLanguage
from helpers.encodings import tree_depths, tree_offsets

V = 3
SMALL = TreeLanguage(num_symbols=V, fidelity=0.7, seed=1)


def _shown(shown: int, true: int, scored: bool) -> float:
    """P(what is shown | the true token), from BERT's recipe read step by step."""
    selected = 1.0 if scored else 0.15
    if shown == SMALL.mask_id:
        return selected * 0.8
    return (1 - selected) * (shown == true) + selected * (0.1 / V + 0.1 * (shown == true))


def _brute_force(inputs: list[int], parents: list[int], t: int) -> list[float]:
    """P(x_t | inputs, t is selected), summed over all V^T ways to fill the tree."""
    weights = [0.0] * V
    for words in itertools.product(range(V), repeat=len(inputs)):
        weight = 1.0
        for place, word in enumerate(words):
            weight *= _shown(inputs[place], word, place == t)
            if parents[place] >= 0:
                follows = SMALL.rule[words[parents[place]]] == word
                weight *= SMALL.fidelity * bool(follows) + (1 - SMALL.fidelity) / V
        weights[words[t]] += weight
    return [weight / sum(weights) for weight in weights]


def test_posterior_on_a_tree_is_that_of_brute_force() -> None:
    masked = SMALL.batch(8, 7, Generator().manual_seed(0))
    assert masked.parents is not None
    found = SMALL.posterior(masked)
    for row, t in itertools.product(range(8), range(7)):
        inputs, parents = masked.inputs[row].tolist(), masked.parents[row].tolist()
        expected = torch.tensor(_brute_force(inputs, parents, t), dtype=torch.float64)
        torch.testing.assert_close(found[row, t], expected, rtol=0, atol=1e-12)


def test_words_follow_their_parents_and_their_order_says_nothing() -> None:
    language = TreeLanguage()
    tokens, parents = language.sample(400, 12, Generator().manual_seed(0))
    rows, places = (parents >= 0).nonzero(as_tuple=True)
    above = tokens[rows, parents[rows, places]]
    kept = (language.rule[above] == tokens[rows, places]).double().mean()
    assert float(kept) == pytest.approx(0.9 + 0.1 / 8, abs=0.02)
    gap = places - parents[rows, places]
    assert abs(float((gap > 0).double().mean()) - 0.5) < 0.03


def test_the_model_is_told_the_tree_as_asked() -> None:
    for told, word, function in [
        ("offsets", "offsets", tree_offsets),
        ("depths", "positions", tree_depths),
    ]:
        masked = TreeLanguage(told=told).batch(3, 9, Generator().manual_seed(0))
        assert masked.parents is not None
        assert list(masked.given) == [word]
        assert torch.equal(masked.given[word], function(masked.parents))
    assert not TreeLanguage(told="nothing").batch(3, 9, Generator().manual_seed(0)).given
    with pytest.raises(ValueError, match="told='all' must be"):
        TreeLanguage(told="all")
    parents = torch.zeros(1, 2, dtype=torch.int64)
    with pytest.raises(ValueError, match="parents are missing"):
        SMALL.bayes_loss(MaskedBatch(parents, parents, parents))


def test_shift_and_reverse_say_what_stands_elsewhere() -> None:
    masked = Shift(lag=3).batch(4, 9, Generator().manual_seed(0))
    assert torch.equal(masked.targets[:, 3:], masked.inputs[:, :-3])
    assert masked.selected.tolist() == [[False] * 3 + [True] * 6] * 4
    masked = Reverse().batch(4, 9, Generator().manual_seed(0))
    assert all(masked.targets[0, t] == masked.inputs[0, 8 - t] for t in range(9))
    assert masked.selected.all()
