"""Unit 07, right answers written differently: indexing, loops, NumPy, matrices of ones."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def mask_by_indexing(tokens, vocab_size, generator, probability=0.15):
    seen, targets = tokens.clone(), tokens.clone()
    each = torch.full(tokens.shape, probability)
    each[tokens < 5] = 0
    chosen = torch.bernoulli(each, generator=generator).bool()
    targets[~chosen] = -100
    masked = torch.bernoulli(torch.full(tokens.shape, 0.8), generator=generator).bool() & chosen
    seen[masked] = 4
    random = torch.bernoulli(torch.full(tokens.shape, 0.5), generator=generator).bool()
    random = random & chosen & ~masked
    seen[random] = torch.randint(5, vocab_size, tokens.shape, generator=generator)[random]
    return seen, targets


def mask_with_one_number_cut_in_four(tokens, vocab_size, generator, probability=0.15):
    u = torch.rand(tokens.shape, generator=generator) + (tokens < 5)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = tokens.clone()
    seen[u < 0.9 * probability] = words[u < 0.9 * probability]
    seen[u < 0.8 * probability] = 4
    return seen, tokens.masked_fill(u >= probability, -100)


def mask_by_a_loop(tokens, vocab_size, generator, probability=0.15):
    numbers = torch.rand((2, *tokens.shape), generator=generator).tolist()
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator).tolist()
    rows = tokens.tolist()
    seen, targets = [row[:] for row in rows], [[-100] * len(row) for row in rows]
    for b, row in enumerate(rows):
        for t, token in enumerate(row):
            if token < 5 or numbers[0][b][t] >= probability:
                continue
            targets[b][t] = token
            if numbers[1][b][t] < 0.8:
                seen[b][t] = 4
            elif numbers[1][b][t] < 0.9:
                seen[b][t] = words[b][t]
    return torch.tensor(seen), torch.tensor(targets)


def mask_in_numpy(tokens, vocab_size, generator, probability=0.15):
    seed = int(torch.randint(2**31, (1,), generator=generator))
    draw, ids = np.random.default_rng(seed), tokens.numpy()
    chosen = (draw.random(ids.shape) < probability) & (ids > 4)
    action = draw.choice(3, ids.shape, p=[0.8, 0.1, 0.1])
    words = draw.integers(5, vocab_size, ids.shape)
    seen = np.where(chosen, np.choose(action, [np.full_like(ids, 4), words, ids]), ids)
    return torch.from_numpy(seen), torch.from_numpy(np.where(chosen, ids, -100))


def mask_the_words_alone(tokens, vocab_size, generator, probability=0.15):
    places = (tokens >= 5).flatten().nonzero()[:, 0]
    places = places[torch.rand(len(places), generator=generator) < probability]
    seen, targets = tokens.flatten().clone(), torch.full((tokens.numel(),), -100)
    targets[places] = seen[places]
    action = torch.multinomial(
        torch.tensor([0.8, 0.1, 0.1]).expand(len(places) + 1, 3), 1, generator=generator
    )[1:, 0]
    random = places[action == 1]
    seen[places[action == 0]] = 4
    seen[random] = torch.randint(5, vocab_size, random.shape, generator=generator)
    return seen.view(tokens.shape), targets.view(tokens.shape)


def mask_in_a_single_row(tokens, vocab_size, generator, probability=0.15):
    seen, targets = tokens.clone().view(-1), torch.full((tokens.numel(),), -100)
    chosen = (seen >= 5) & (torch.rand(len(seen), generator=generator) < probability)
    targets[chosen], lot = seen[chosen], torch.rand(len(seen), generator=generator)
    seen[chosen & (lot > 0.2)] = 4
    random = chosen & (lot < 0.1)
    words = torch.randint(5, vocab_size, seen.shape, generator=generator)
    seen[random] = words[random]
    return seen.view(tokens.shape), targets.view(tokens.shape)


class sum_by_indexing(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, tokens, segments):
        x = self.words.weight[tokens]
        x = x + self.segments.weight[segments]
        x = x + self.positions(torch.arange(tokens.size(1), device=tokens.device))
        return self.norm(x)


class sum_by_one_hot(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, tokens, segments):
        x = F.one_hot(tokens, self.words.num_embeddings).to(self.words.weight) @ self.words.weight
        s = segments[..., None].to(x.dtype)
        x = x + (1 - s) * self.segments.weight[0] + s * self.segments.weight[1]
        return self.norm(x + self.positions.weight[None, : tokens.shape[-1]])


class sum_by_loop(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, tokens, segments):
        columns = [
            self.words(tokens[:, t]) + self.segments(segments[:, t]) + self.positions.weight[t]
            for t in range(tokens.shape[1])
        ]
        return self.norm(torch.stack(columns, 1))


class sum_with_the_norm_by_hand(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1]).expand_as(tokens)
        x = self.words(tokens).add(self.segments(segments)).add(self.positions(places))
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False)).sqrt()
        return x * self.norm.weight + self.norm.bias


def padding_by_ne(tokens):
    return tokens.ne(0).unsqueeze(1).unsqueeze(1)


def padding_by_view(tokens):
    return tokens.bool().view(len(tokens), 1, 1, -1)


def padding_by_filling(tokens):
    real = torch.ones_like(tokens, dtype=torch.bool)
    return real.masked_fill_(tokens.eq(0), False).reshape(tokens.size(0), 1, 1, tokens.size(1))


def padding_by_logic(tokens):
    real = torch.ones(len(tokens), 1, 1, tokens.shape[1], dtype=torch.bool)
    for b, row in enumerate(tokens.tolist()):
        for t, token in enumerate(row):
            if token == 0:
                real[b, 0, 0, t] = False
    return real


MASK_WORDS = (
    mask_by_indexing,
    mask_with_one_number_cut_in_four,
    mask_by_a_loop,
    mask_in_numpy,
    mask_the_words_alone,
    mask_in_a_single_row,
)
VECTORS = (sum_by_indexing, sum_by_one_hot, sum_by_loop, sum_with_the_norm_by_hand)
PADDING = (padding_by_ne, padding_by_view, padding_by_filling, padding_by_logic)
