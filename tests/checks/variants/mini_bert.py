"""Unit 08, right answers written differently."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

from tests.checks.variants.mini_bert_own import OWN


def loss_by_mask(logits, targets):
    chosen = targets != -100
    logs = F.log_softmax(logits[chosen], dim=-1)
    return -logs[torch.arange(len(logs)), targets[chosen]].mean()


def loss_by_logsumexp(logits, targets):
    chosen = targets >= 0
    right = logits.gather(2, targets.clamp(min=0).unsqueeze(2)).squeeze(2)
    surprise = torch.logsumexp(logits, 2) - right
    return surprise[chosen].mean()


def loss_by_one_hot(logits, targets):
    rows, words = logits.flatten(0, 1), targets.flatten()
    keep = words.ne(-100)
    wanted = F.one_hot(words[keep], logits.shape[-1]).to(logits.dtype)
    return -(wanted * rows[keep].log_softmax(1)).sum() / keep.sum()


def loss_by_loop(logits, targets):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != -100:
                total = total - logits[b, t].log_softmax(0)[targets[b, t]]
                count += 1
    return total / count


def loss_by_shifted_exp(logits, targets):
    b, t = torch.where(targets != -100)
    x = logits[b, t]
    x = x - x.max(-1, keepdim=True).values
    return (x.exp().sum(-1).log() - x[torch.arange(len(b)), targets[b, t]]).mean()


def loss_in_double(logits, targets):
    chosen = targets != -100
    logs = logits.double().log_softmax(-1)
    picked = torch.where(chosen, logs.gather(-1, targets.clamp(min=0)[..., None])[..., 0], 0)
    return (-picked.sum() / chosen.sum()).to(logits.dtype)


def count_factored(V, D, L, T):  # noqa: N803
    below, layer, pooler = D * (V + T + 4), D * (12 * D + 13), (D**2 + D) // 1
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def count_of_shapes(V, D, L, T):  # noqa: N803
    def linear(i, o):
        return i * o + o

    norm = D + D
    parts = {"embeddings": V * D + 2 * D + T * D + norm}
    parts["layer"] = 4 * linear(D, D) + norm + linear(D, 4 * D) + linear(4 * D, D) + norm
    parts["pooler"] = linear(D, D)
    parts["all"] = parts["embeddings"] + parts["pooler"] + sum(parts["layer"] for _ in range(L))
    return parts


def count_in_another_order(V, D, L, T):  # noqa: N803
    shapes = [(D, 3 * D), (3 * D,), (D, D), (D,), (D, 4 * D), (4 * D,), (4 * D, D), (D,)]
    shapes += [(D,)] * 4
    layer = sum(math.prod(shape) for shape in shapes)
    pooler = math.prod((D, D)) + D
    below = sum(rows * D for rows in (V, 2, T)) + 2 * D
    total = layer * L + pooler + below
    return {"all": total, "pooler": pooler, "layer": layer, "embeddings": below}


def count_with_modules(V, D, L, T):  # noqa: N803
    def size(module):
        return sum(p.numel() for p in module.parameters())

    nn = torch.nn
    tables = nn.ModuleList([nn.Embedding(n, D) for n in (V, 2, T)] + [nn.LayerNorm(D)])
    layer = size(nn.TransformerEncoderLayer(D, 1, 4 * D))
    below, pooler = size(tables), size(nn.Linear(D, D))
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def unigram_by_counter(training, testing, vocab_size):
    counts = Counter(training.tolist())
    total = sum(counts.values()) + vocab_size
    surprises = [-math.log((counts[word] + 1) / total) for word in testing.tolist()]
    return sum(surprises) / len(surprises)


def unigram_in_numpy(training, testing, vocab_size):
    counts = np.bincount(training.numpy(), minlength=vocab_size) + 1
    return np.mean(np.log(counts.sum()) - np.log(counts[testing.numpy()]))


def unigram_in_numpys_float32(training, testing, vocab_size):
    counts = np.bincount(training.numpy(), minlength=vocab_size) + 1
    return np.float32(-np.log(counts[testing.numpy()] / counts.sum()).mean())


def unigram_as_a_tensor(training, testing, vocab_size):
    counts = torch.ones(vocab_size)
    counts.scatter_add_(0, training, torch.ones(len(training)))
    return F.cross_entropy(counts.log().expand(len(testing), -1), testing)


def unigram_by_both_counts(training, testing, vocab_size):
    seen = torch.bincount(training, minlength=vocab_size) + 1.0
    asked = torch.bincount(testing, minlength=vocab_size)
    surprise = (seen.sum() / seen).log()
    return float((asked * surprise).sum() / asked.sum())


def unigram_with_the_vocabulary_added(training, testing, vocab_size):
    text = torch.cat([training, torch.arange(vocab_size)])
    probabilities = torch.bincount(text).double() / len(text)
    return -probabilities[testing].log().mean().item()


def above_by_scatter(logits, targets, kinds, posterior):
    chosen = targets != -100
    word, kind = targets[chosen], kinds[chosen]
    each = torch.arange(len(word))
    extra = posterior[chosen][each, word].log() - logits[chosen].log_softmax(-1)[each, word]
    total = torch.zeros(int(kinds.max()) + 1, dtype=torch.float64).index_add(0, kind, extra)
    return total / torch.bincount(kind, minlength=len(total))


def above_by_cross_entropy(logits, targets, kinds, posterior):
    means = []
    for k in range(int(kinds.max()) + 1):
        wanted = torch.where(kinds == k, targets, -100).flatten()
        model = F.cross_entropy(logits.flatten(0, 1), wanted)
        exact = F.nll_loss(posterior.log().flatten(0, 1), wanted)
        means.append(model.item() - exact.item())
    return torch.tensor(means)


def above_by_loop(logits, targets, kinds, posterior):
    found = [[] for _ in range(int(kinds.max()) + 1)]
    logs = logits.log_softmax(-1)
    for b, t in (targets != -100).nonzero().tolist():
        word = targets[b, t]
        found[kinds[b, t]].append(float(posterior[b, t, word].log() - logs[b, t, word]))
    return torch.tensor([sum(each) / len(each) for each in found])


def above_in_numpy(logits, targets, kinds, posterior):
    chosen = (targets != -100).numpy()
    words = targets.numpy()[chosen][:, None]
    model = -np.take_along_axis(logits.log_softmax(-1).numpy()[chosen], words, 1)[:, 0]
    exact = -np.log(np.take_along_axis(posterior.numpy()[chosen], words, 1)[:, 0])
    kind = kinds.numpy()[chosen]
    difference = [(model - exact)[kind == k].mean() for k in range(kinds.max() + 1)]
    return np.array(difference)


def above_by_two_means(logits, targets, kinds, posterior):
    words = targets.clamp(min=0).unsqueeze(-1)
    model = torch.logsumexp(logits, -1) - logits.gather(-1, words).squeeze(-1)
    exact = -posterior.gather(-1, words).squeeze(-1).log()
    means = []
    for k in kinds.unique():
        here = (kinds == k) & targets.ne(-100)
        means.append(model[here].mean() - exact[here].mean())
    return torch.stack(means)


VARIANTS = {
    "parameters": (count_factored, count_of_shapes, count_in_another_order, count_with_modules),
    "loss": (
        loss_by_mask,
        loss_by_logsumexp,
        loss_by_one_hot,
        loss_by_loop,
        loss_by_shifted_exp,
        loss_in_double,
    ),
    "unigram": (
        unigram_by_counter,
        unigram_in_numpy,
        unigram_in_numpys_float32,
        unigram_as_a_tensor,
        unigram_by_both_counts,
        unigram_with_the_vocabulary_added,
    ),
    "above": (
        above_by_scatter,
        above_by_cross_entropy,
        above_by_loop,
        above_in_numpy,
        above_by_two_means,
    ),
    "own": OWN,
}
