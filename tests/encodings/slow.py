"""Each encoding from its formula alone: one position, or one pair of one head, at a time.

Nothing here is shared with helpers/encodings but the parameters.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Vector = Callable[[Any, int], Tensor]
Term = Callable[[Any, int, int, int, Tensor, Tensor], Tensor | float]


def _sines(p: int, width: int, base: float = 10_000.0) -> Tensor:
    angle = [p / base ** (c // 2 * 2 / width) for c in range(width)]
    return torch.tensor([math.cos(a) if c % 2 else math.sin(a) for c, a in enumerate(angle)])


def _gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def _mlp(net: Any, x: Tensor) -> Tensor:
    return net[2].weight @ _gelu(net[0].weight @ x + net[0].bias) + net[2].bias


def _norm(layer: Any, x: Tensor) -> Tensor:
    centred = x - x.mean()
    return centred / (centred.square().mean() + layer.eps).sqrt() * layer.weight + layer.bias


def _index_mlp(e: Any, p: int) -> Tensor:
    return _norm(e.norm, _mlp(e.mlp, torch.tensor([p / e.max_len])))


def _fourier(e: Any, p: int) -> Tensor:
    return _of_angles(e, [p * float(f) for f in e.frequencies])


def fourier_2d(e: Any, row: int, column: int) -> Tensor:
    """Of a patch."""
    down, across = e.frequencies
    return _of_angles(
        e, [row * float(f) + column * float(g) for f, g in zip(down, across, strict=True)]
    )


def learned_2d(e: Any, row: int, column: int) -> Tensor:
    """Of a patch."""
    half = e.d_model // 2
    return torch.stack(
        [e.rows[row, c] if c < half else e.columns[column, c - half] for c in range(e.d_model)]
    )


def _of_angles(e: Any, angles: list[float]) -> Tensor:
    features = [math.cos(a) for a in angles] + [math.sin(a) for a in angles]
    return _norm(e.norm, _mlp(e.mlp, torch.tensor(features) / math.sqrt(len(features))))


def _tree_depth(e: Any, p: int, depth: int | None = None) -> Tensor:
    depth = p if depth is None else depth  # the tests give depth p to word p
    return torch.tanh(
        e.place.weight @ _sines(p, e.d_model) + e.depth.weight @ _sines(depth, e.d_model)
    )


VECTORS: dict[str, Vector] = {
    "sinusoidal": lambda e, p: _sines(p, e.d_model),
    "learned": lambda e, p: e.table[p],
    "index_mlp": _index_mlp,
    "fourier": _fourier,
    "tree_depth": _tree_depth,
    "learned_2d": lambda e, p: learned_2d(e, p, p),
    "fourier_2d": lambda e, p: fourier_2d(e, p, p),
}
PLACED = {"learned_2d": learned_2d, "fourier_2d": fourier_2d}

# What is added to q_i·k_j before scaling, for head h: the term of a scaled score, such as a learned
# bias, is divided by `e.softmax_scale`. q and k are (H, T, d) of one text, not scaled either.


def _clipped(offset: int, k: int) -> int:
    return max(-k, min(k, offset)) + k


def _shaw(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    return q[h, i] @ e.keys[_clipped(j - i, e.k)]


def _huang(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor | float:
    if e.causal and j > i:
        return 0.0
    return q[h, i] @ e.table[h, j - i + e.max_len - 1]


def _transformer_xl(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    d = q.shape[-1]
    row = (e.project.weight @ _sines(i - j, e.d_model))[h * d : (h + 1) * d]
    return q[h, i] @ row + e.u[h, 0] @ k[h, j] + e.v[h, 0] @ row


def _t5(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    distance, buckets = i - j, e.table.shape[1]
    first = 0
    if e.causal:
        distance = max(distance, 0)
    else:
        buckets //= 2
        first = buckets if distance < 0 else 0
        distance = abs(distance)
    exact = buckets // 2
    if distance >= exact:
        share = math.log(distance / exact) / math.log(e.max_distance / exact)
        distance = min(exact + int(share * (buckets - exact)), buckets - 1)
    return e.table[h, first + distance]


def _alibi(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> float:
    below = 2 ** int(math.log2(e.num_heads))
    n = h + 1 if h < below else 2 * (h - below) + 1
    slope = 2 ** (-8 * n / (below if h < below else 2 * below))
    right = {"symmetric": 1.0, "directional": 2.0, "causal": math.inf}[e.form]
    return -slope * abs(j - i) * (right if j > i else 1) / e.softmax_scale


def _kerple(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> float:
    r1, r2 = math.exp(e.raw[0, h]), float(e.raw[1, h])
    if e.form == "log":
        return -r1 * math.log(1 + math.exp(r2) * abs(i - j)) / e.softmax_scale
    return -r1 * abs(i - j) ** (2 / (1 + math.exp(-r2))) / e.softmax_scale


def _fire(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    c, furthest = abs(float(e.c)), max(abs(float(e.threshold)), i, j)
    share = math.log(c * abs(i - j) + 1) / math.log(c * furthest + 1)
    share = share if j <= i else -share
    hidden = (e.f[0].weight[:, 0] * share + e.f[0].bias).clamp(min=0)
    return (e.f[2].weight[h] @ hidden + e.f[2].bias[h]) / e.softmax_scale


def _deberta(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    def delta(a: int, b: int) -> int:
        if a - b <= -e.k:
            return 0
        return 2 * e.k - 1 if a - b >= e.k else a - b + e.k

    d = q.shape[-1]
    head = slice(h * d, (h + 1) * d)
    asked = delta(j, i) if e.index == "paper" else delta(i, j)
    return (
        q[h, i] @ (e.key.weight @ e.vectors[delta(i, j)])[head]
        + k[h, j] @ (e.query.weight @ e.vectors[asked])[head]
    )


def _cope(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    side = range(j, i + 1) if j <= i else range(i + 1, j + 1)
    if e.causal and j > i:
        side = range(0)
    place = sum(1 / (1 + math.exp(-float(q[h, i] @ k[h, m]) * e.softmax_scale)) for m in side)
    vectors = e.vectors[0 if j <= i or e.causal else 1]  # (d, P)
    place = min(place, vectors.shape[1] - 1)
    low = math.floor(place)
    high = min(low + 1, vectors.shape[1] - 1)
    row = (1 - place + low) * vectors[:, low] + (place - low) * vectors[:, high]
    return q[h, i] @ row


def _tupe(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    d = q.shape[-1]
    head = slice(h * d, (h + 1) * d)
    if e.resets is not None and 0 in (i, j):
        return e.resets[0 if i == 0 else 1, h, 0, 0] / e.softmax_scale
    term = (e.query.weight @ e.table[i])[head] @ (e.key.weight @ e.table[j])[head]
    if e.relative is not None:
        term = term + _t5(e.relative, h, i, j, q, k) / e.softmax_scale
    return term


def _window(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor | float:
    return e.table[h, j - i + e.k] / e.softmax_scale if abs(j - i) <= e.k else -math.inf


def _convolution(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    at = (
        [torch.tensor([float(p)]) for p in (i, j)]
        if e.columns is None
        else [torch.tensor([float(p // e.columns), float(p % e.columns)]) for p in (i, j)]
    )
    gap, centre = at[1] - at[0], e.centres[h]
    return -e.sharpness[h, 0] * (gap - centre).square().sum() / e.softmax_scale


def _tree_offsets(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    tree = 2 * (i - j)  # the offsets that the tests give
    return _shaw(e.line, h, i, j, q, k) + q[h, i] @ e.tree.keys[_clipped(tree, e.tree.k)]


# Of what is read between a query and a key: one token of the way at a time.


def _way(i: int, j: int) -> list[int]:
    """Tokens from the key to the query, which is among them, and the key is not."""
    return list(range(j + 1, i + 1)) if j <= i else list(range(j - 1, i - 1, -1))


def _gate(layer: Any, h: int, token: int, k: Tensor) -> float:
    said = float(layer.weight[h] @ torch.cat([*k[:, token]]) + layer.bias[h])
    return 1 / (1 + math.exp(-said))


def _fox(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> float:
    """Logarithms of the gates on the way, √d-fold."""
    return sum(math.log(_gate(e.gate, h, token, k)) for token in _way(i, j)) / e.softmax_scale


def _path(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> Tensor:
    """The key, changed by each token on the way, less the key as it was."""
    d = k.shape[-1]
    key = k[h, j]
    for token in _way(i, j):
        w = e.direction.weight[h * d : (h + 1) * d] @ torch.cat([*k[:, token]])
        w = w / w.norm().clamp(min=1e-12)
        beta = 2 * _gate(e.strength, h, token, k)
        key = (torch.eye(d) - beta * torch.outer(w, w)) @ key
    return q[h, i] @ key - q[h, i] @ k[h, j]


TERMS: dict[str, Term] = {
    "shaw_keys": _shaw,
    "shaw": _shaw,
    "huang": _huang,
    "transformer_xl": _transformer_xl,
    "clipped_bias": lambda e, h, i, j, q, k: e.table[h, _clipped(j - i, e.k)] / e.softmax_scale,
    "t5_bias": _t5,
    "alibi": _alibi,
    "kerple": _kerple,
    "fire": _fire,
    "deberta": _deberta,
    "cope": _cope,
    "tupe": _tupe,
    "tree_offsets": _tree_offsets,
    "window": _window,
    "convolution": _convolution,
    "fox": _fox,
    "path": _path,
}


def scores(name: str, encoding: Any, q: Tensor, k: Tensor) -> Tensor:
    """The term of every pair, (B, H, T, T)."""
    batch, heads, length, _ = q.shape
    found = torch.zeros(batch, heads, length, length)
    for b in range(batch):
        for h in range(heads):
            for i in range(length):
                for j in range(length):
                    found[b, h, i, j] = TERMS[name](encoding, h, i, j, q[b], k[b])
    return found
