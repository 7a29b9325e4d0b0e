"""Unit 06, right answers on trees and convolutions: recursion, graph search, dot products."""

from __future__ import annotations

from collections import deque

import numpy as np
import torch
import torch.nn.functional as F


def depths_by_walking(parents):
    def steps(word):
        n = 0
        while parents[word] != -1:
            word, n = parents[word].item(), n + 1
        return n

    return torch.tensor([steps(word) for word in range(len(parents))])


def depths_by_recursion(parents):
    def depth(word):
        return 0 if parents[word] < 0 else 1 + depth(int(parents[word]))

    return torch.tensor([depth(word) for word in range(len(parents))]).long()


def depths_level_by_level(parents):
    found = torch.zeros(len(parents), dtype=torch.int64)
    level, above = 0, [parents.tolist().index(-1)]
    while above:
        found[above] = level
        above = [w for w, parent in enumerate(parents.tolist()) if parent in above]
        level += 1
    return found


def depths_by_matrix_powers(parents):
    step = F.one_hot(parents + 1, len(parents) + 1)[:, 1:].double()  # the root has no parent
    found, reach = torch.zeros(len(parents)), step
    while reach.any():
        found, reach = found + reach.sum(1), reach @ step
    return found.long()


def depths_by_doubling(parents):
    jump = torch.where(parents < 0, torch.arange(len(parents)), parents)
    found = (parents >= 0).long()
    for _ in range(len(parents).bit_length()):
        found, jump = found + found[jump], jump[jump]
    return found


def depths_in_passes_until_nothing_changes(parents):
    depth, before = {-1: -1}, -1
    while before < (before := len(depth)):
        for word, parent in enumerate(parents.tolist()):
            if parent in depth:
                depth[word] = depth[parent] + 1
    return torch.tensor([depth[word] for word in range(len(parents))])


def depths_in_numpy(parents):
    up = parents.numpy()
    found, at = np.zeros(len(up), dtype=np.int64), up
    while (at >= 0).any():
        found, at = found + (at >= 0), np.where(at >= 0, up[at], -1)
    return torch.from_numpy(found)


def depths_all_at_once(parents):
    at, found = parents, torch.zeros_like(parents)
    while (at >= 0).any():
        found = found + (at >= 0).long()
        at = torch.where(at >= 0, parents[at.clamp(min=0)], -1)
    return found


def tree_by_paths(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents), dtype=torch.int64)
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            if i in b or j in a:
                found[i, j] = len(b) - len(a)
            else:
                found[i, j] = (1 if j > i else -1) * len(set(a) ^ set(b))
    return found


def tree_by_walking_the_edges(parents):
    length = len(parents)
    near = [[] for _ in range(length)]
    for word, parent in enumerate(parents.tolist()):
        if parent >= 0:
            near[word].append((parent, -1))
            near[parent].append((word, 1))
    found = np.zeros((length, length), dtype=np.int64)
    for i in range(length):
        todo, seen = deque([(i, 0, set())]), {i}
        while todo:
            at, steps, ways = todo.popleft()
            sign = next(iter(ways)) if len(ways) == 1 else np.sign(at - i)
            found[i, at] = sign * steps
            for other, way in near[at]:
                if other not in seen:
                    seen.add(other)
                    todo.append((other, steps + 1, ways | {way}))
    return torch.from_numpy(found)


def tree_by_shortest_paths(parents):
    length = len(parents)
    steps = torch.full((length, length), 1e9)
    steps.fill_diagonal_(0)
    for word, parent in enumerate(parents.tolist()):
        if parent >= 0:
            steps[word, parent] = steps[parent, word] = 1
    for middle in range(length):
        steps = torch.minimum(steps, steps[:, middle, None] + steps[None, middle])
    depth = steps[int((parents < 0).nonzero())]
    drop = depth[None, :] - depth[:, None]
    places = torch.arange(length)
    order = torch.sign(places[None, :] - places[:, None])
    return torch.where(drop.abs() == steps, drop, order * steps).long()


def tree_by_climbing(parents):
    def depth(word):
        return 0 if parents[word] < 0 else 1 + depth(int(parents[word]))

    length, above = len(parents), parents.tolist()
    depths = [depth(word) for word in range(length)]
    found = torch.zeros(length, length, dtype=torch.long)
    for i in range(length):
        for j in range(length):
            a, b, up, down = i, j, 0, 0
            while a != b:
                if depths[a] >= depths[b]:
                    a, up = above[a], up + 1
                else:
                    b, down = above[b], down + 1
            one_path = up == 0 or down == 0
            found[i, j] = down - up if one_path else (up + down) * (1 if j > i else -1)
    return found


def tree_by_sets_of_ancestors(parents):
    step = F.one_hot(parents + 1, len(parents) + 1)[:, 1:].double()
    above = torch.linalg.inv(torch.eye(len(parents), dtype=torch.float64) - step)
    depth, common = above.sum(1), above @ above.T
    i, j = depth[:, None], depth[None, :]
    order = torch.ones(len(parents), len(parents)).triu() - torch.ones(len(parents), 1)
    order = torch.where(order < 0, -1.0, 1.0)
    path = (common == i) | (common == j)
    return torch.where(path, j - i, order * (i + j - 2 * common)).round().to(torch.int64)


def convolution_by_loops(x, kernel, alpha):
    outputs, _, taps = kernel.shape
    found = torch.zeros(len(x), outputs, dtype=x.dtype)
    for h in range(taps):
        for i in range(len(x)):
            scores = [-alpha * (j - i - (h - taps // 2)) ** 2 for j in range(len(x))]
            weights = torch.tensor(scores, dtype=x.dtype).softmax(0)
            found[i] += kernel[:, :, h] @ (weights @ x)
    return found


def convolution_without_softmax(x, kernel, alpha):
    i, j = torch.meshgrid(torch.arange(len(x)), torch.arange(len(x)), indexing="ij")
    y = x.new_zeros(len(x), kernel.shape[0])
    for h, tap in enumerate(kernel.unbind(-1)):
        squares = (j - i + kernel.shape[2] // 2 - h) ** 2
        nearest = squares.min(1, keepdim=True).values
        weights = torch.exp(-alpha * (squares - nearest).to(x))
        y = y + weights / weights.sum(1, keepdim=True) @ (x @ tap.mT)
    return y


def convolution_by_unfolding(x, kernel, alpha):
    length, half = len(x), (kernel.size(-1) - 1) // 2
    offsets = torch.arange(1 - length, length)
    table = -alpha * (offsets - torch.arange(-half, half + 1)[:, None]) ** 2
    scores = table.unfold(1, length, 1).flip(1)  # row i begins with the offset −i
    heads = torch.log_softmax(scores.to(x.dtype), 2).exp() @ x
    return torch.tensordot(heads, kernel, ([0, 2], [2, 1]))


def convolution_by_dot_products(x, kernel, alpha):
    place = torch.arange(len(x), dtype=x.dtype)
    keys = torch.stack([place**2, place, torch.ones_like(place)])  # −(j − c)² = −j² + 2cj − c²
    found = torch.zeros(len(x), len(kernel), dtype=x.dtype)
    for h in range(kernel.shape[2]):
        c = place + h - kernel.shape[2] // 2
        queries = alpha * torch.stack([-torch.ones_like(c), 2 * c, -(c**2)], 1)
        found += torch.softmax(queries @ keys, dim=1) @ x @ kernel[:, :, h].T
    return found


def convolution_by_fused_attention(x, kernel, alpha):
    taps, length = kernel.shape[2], len(x)
    delta = torch.arange(length)[None] - torch.arange(length)[:, None]
    centres = torch.arange(-(taps // 2), taps // 2 + 1)
    bias = (-alpha * (delta[None] - centres[:, None, None]) ** 2).to(x.dtype)
    nothing = torch.zeros(taps, length, 1, dtype=x.dtype)
    values = x @ kernel.permute(2, 1, 0)  # (H, T, C')
    return F.scaled_dot_product_attention(nothing, nothing, values, attn_mask=bias).sum(0)


def convolution_as_the_theorem_has_it(x, kernel, alpha):
    taps = kernel.shape[2]
    delta = (torch.arange(len(x))[None] - torch.arange(len(x))[:, None]).to(x.dtype)
    r = torch.stack([delta**2, delta], -1)
    heads = []
    for h in range(taps):
        v = -alpha * torch.tensor([1.0, -2.0 * (h - taps // 2)], dtype=x.dtype)
        heads.append((r @ v).softmax(-1) @ x)
    mix = kernel.permute(2, 1, 0).reshape(-1, len(kernel))
    return torch.cat(heads, -1) @ mix


STRUCTURE = {
    "depths": (
        depths_by_walking,
        depths_by_recursion,
        depths_level_by_level,
        depths_by_matrix_powers,
        depths_by_doubling,
        depths_in_passes_until_nothing_changes,
        depths_in_numpy,
        depths_all_at_once,
    ),
    "tree": (
        tree_by_paths,
        tree_by_walking_the_edges,
        tree_by_shortest_paths,
        tree_by_sets_of_ancestors,
        tree_by_climbing,
    ),
    "convolution": (
        convolution_by_loops,
        convolution_without_softmax,
        convolution_by_unfolding,
        convolution_by_dot_products,
        convolution_by_fused_attention,
        convolution_as_the_theorem_has_it,
    ),
}
