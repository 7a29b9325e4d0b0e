"""Unit 07, right answers written differently: each is named after its exercise."""

import random
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def pieces_by_the_vocabulary(word, vocabulary):
    known = sorted(vocabulary, key=len, reverse=True)
    rest, pieces = word, []
    while rest:
        for piece in known:
            if piece.startswith("##") == bool(pieces) and rest.startswith(piece.removeprefix("##")):
                pieces.append(piece)
                rest = rest[len(piece.removeprefix("##")) :]
                break
        else:
            return ["[UNK]"]
    return pieces


def pieces_as_a_tuple(word, vocabulary):
    pieces, known = (), set(vocabulary)
    start = 0
    while start < len(word):
        end = len(word)
        while end > start and ("##" * bool(start) + word[start:end]) not in known:
            end -= 1
        if end == start:
            return ("[UNK]",)
        pieces += ("##" * bool(start) + word[start:end],)
        start = end
    return pieces


def row_by_slices(first, second, length):
    room = length - 3
    if len(first) + len(second) > room:
        a = min(len(first), max(room - len(second), (room + 1) // 2))
        first, second = first[:a], second[: room - a]
    tokens = [2, *first, 3, *second, 3]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rest = length - len(tokens)
    return tokens + [0] * rest, segments + [0] * rest


def row_in_tensors(first, second, length):
    import torch

    first, second = first[:], second[:]
    while len(first) + len(second) > length - 3:
        if len(first) > len(second):
            del first[-1]
        else:
            del second[-1]
    ids = torch.tensor([2, *first, 3, *second, 3])
    tokens = torch.nn.functional.pad(ids, (0, length - len(ids)))
    place = torch.arange(length)
    segments = ((place > len(first) + 1) & (place < len(ids))).long()
    return tokens, segments


def pairs_by_index(documents, draw):
    seconds = [(d, s) for d in range(len(documents)) for s in range(1, len(documents[d]))]
    made = []
    for d, s in seconds:
        wrong = draw.getrandbits(1)
        e, t = d, s
        while wrong and e == d:
            e, t = seconds[draw.randrange(len(seconds))]
        made.append([documents[d][s - 1], documents[e][t], wrong])
    return made


def pairs_from_a_drawn_seed(documents, draw):
    chance = random.Random(draw.random())
    seconds = [(n, each) for n, document in enumerate(documents) for each in document[1:]]

    def wrong(number):
        other, sentence = chance.choice(seconds)
        return sentence if other != number else wrong(number)

    return [
        (a, wrong(n), True) if chance.choice((True, False)) else (a, b, False)
        for n, document in enumerate(documents)
        for a, b in pairwise(document)
    ]


def mask_with_one_number_cut_in_four(tokens, vocab_size, generator, probability=0.15):
    u = torch.rand(tokens.shape, generator=generator) + (tokens < 5)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = tokens.clone()
    seen[u < 0.9 * probability] = words[u < 0.9 * probability]
    seen[u < 0.8 * probability] = 4
    return seen, tokens.masked_fill(u >= probability, -100)


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


class _Sum(nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)


class vectors_by_one_hot(_Sum):
    def forward(self, tokens, segments):
        x = F.one_hot(tokens, self.words.num_embeddings).to(self.words.weight) @ self.words.weight
        s = segments[..., None].to(x.dtype)
        x = x + (1 - s) * self.segments.weight[0] + s * self.segments.weight[1]
        return self.norm(x + self.positions.weight[None, : tokens.shape[-1]])


class vectors_with_the_norm_by_hand(_Sum):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1]).expand_as(tokens)
        x = self.words(tokens).add(self.segments(segments)).add(self.positions(places))
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False)).sqrt()
        return x * self.norm.weight + self.norm.bias


def padding_by_view(tokens):
    return tokens.bool().view(len(tokens), 1, 1, -1)


def padding_by_filling(tokens):
    real = torch.ones_like(tokens, dtype=torch.bool)
    return real.masked_fill_(tokens.eq(0), False).reshape(tokens.size(0), 1, 1, tokens.size(1))
