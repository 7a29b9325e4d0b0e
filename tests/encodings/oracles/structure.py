"""Trees, windows and convolutions."""

from typing import Any

import networkx as nx
import torch
import torch.nn.functional as F
from local_attention import LocalAttention
from torch import Tensor

from helpers import encodings
from helpers.model.attention import MultiHeadAttention
from tests.encodings.oracles.comparison import (
    B,
    D,
    H,
    Pair,
    T,
    oracle,
)


def random_tree(length: int) -> tuple[Tensor, nx.DiGraph]:
    """A tree as `parents`, its words in random order, and as a graph from parent to child."""
    order = torch.randperm(length).tolist()
    parents = torch.full((length,), -1)
    for n in range(1, length):
        parents[order[n]] = order[int(torch.randint(n, ()))]
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(range(length))
    graph.add_edges_from((p, n) for n, p in enumerate(parents.tolist()) if p >= 0)
    return parents, graph


@oracle("tree_depth", "networkx, path lengths", 0.0)
def _depths() -> Pair:
    parents, graph = random_tree(30)
    root = int((parents == -1).nonzero())
    theirs = nx.single_source_shortest_path_length(graph, root)
    return encodings.tree_depths(parents), torch.tensor([theirs[n] for n in range(30)])


@oracle("tree_offsets", "networkx, ancestors and path lengths", 0.0)
def _tree_offsets() -> Pair:
    parents, graph = random_tree(30)
    steps = dict(nx.all_pairs_shortest_path_length(graph.to_undirected()))
    theirs = torch.zeros(30, 30, dtype=torch.int64)
    for i in range(30):
        for j in range(30):
            down = j in nx.descendants(graph, i)
            up = i in nx.descendants(graph, j)
            sign = 1 if down else -1 if up else (j > i) - (j < i)
            theirs[i, j] = sign * steps[i][j]
    return encodings.tree_offsets(parents), theirs


@oracle("window", "local-attention", 1e-12)
def _local() -> Pair:
    ours: Any = MultiHeadAttention(encodings.create("window", d_model=D, num_heads=H, k=4))
    theirs = LocalAttention(
        window_size=4,
        causal=False,
        look_backward=1,
        look_forward=1,
        exact_windowsize=True,
        use_rotary_pos_emb=False,
        autopad=True,
    )
    x = torch.randn(B, 12, D)
    q, k, v = ours.qkv(x).unflatten(-1, (3, H, -1)).permute(2, 0, 3, 1, 4)
    context = theirs(*(each.contiguous() for each in (q, k, v)))
    return ours(x), ours.out(context.transpose(1, 2).flatten(2))


def convolved(num_heads: int, columns: int | None, sharpness: float) -> Pair:
    """Attention whose heads are taps, and the convolution with the same weights, inside."""
    encoding = encodings.Convolution(num_heads, num_heads, columns=columns, sharpness=sharpness)
    ours: Any = MultiHeadAttention(encoding)
    with torch.no_grad():
        ours.qkv.bias.zero_()
        ours.out.bias.zero_()
    length = T if columns is None else columns * columns
    x = torch.randn(B, length, num_heads)
    # Head h: out[:, h] takes value column h, which reads x with row 2D + h of the projection.
    taps = torch.einsum("oh,hi->oih", ours.out.weight, ours.qkv.weight[2 * num_heads :])
    image = x.transpose(1, 2)
    if columns is None:
        pad, size = num_heads // 2, length
        inside = slice(pad, size - pad)
        theirs = F.conv1d(image, taps, padding=pad)[..., inside]
        return ours(x).transpose(1, 2)[..., inside], theirs
    side = round(num_heads**0.5)
    inside = slice(side // 2, columns - side // 2)
    kernel = taps.view(num_heads, num_heads, side, side)
    theirs = F.conv2d(image.unflatten(-1, (columns, columns)), kernel, padding=side // 2)
    made = ours(x).transpose(1, 2).unflatten(-1, (columns, columns))
    return made[..., inside, inside], theirs[..., inside, inside]


@oracle("convolution", "torch, conv1d (α = 46, inside)", 1e-10)
def _conv1d() -> Pair:
    return convolved(3, None, 46.0)


@oracle("convolution", "torch, conv2d (α = 46, inside)", 1e-10)
def _conv2d() -> Pair:
    return convolved(9, 7, 46.0)
