"""Parts of the library that its answers are made of, or that come to the same.

BENEATH are answers that borrow such a part, by unit and exercise. UNSEEN are answers that borrow
what they may not call, in a thread that the check cannot follow. FREE is what learners may have
before they are asked, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import unwrap
from itertools import chain
from types import CodeType, FunctionType, ModuleType
from typing import Any

from helpers.course.sandbox import lent

IMPORTS = """
import math
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
import torch
from helpers import encodings
from helpers.encodings import additive, cope, offsets, sinusoidal, tree
from helpers.model import attention, probes
from helpers.model.bert import Bert, Size
from helpers.model.decoder import Cache
pool = ThreadPoolExecutor(1)
pool.submit(int).result()
"""
BENEATH = {
    ("01-order-blind", "masked"): """
def answer(q, k, v, mask):
    bias = torch.zeros(mask.shape).masked_fill(~mask, -math.inf)
    return attention._softmax(q @ k.mT / math.sqrt(q.shape[-1]), bias) @ v
""",
    ("02-sinusoidal", "wavelengths"): """
def answer(d_model, base=10_000.0):
    return 2 * math.pi / sinusoidal._frequencies(d_model, base)
""",
    ("02-sinusoidal", "table"): """
def answer(num_positions, d_model, base=10_000.0):
    first = torch.tensor([1.0, 0.0]).double().repeat(1, 1, num_positions, d_model // 2)
    turned, _ = encodings.Rotary(d_model, base=base).rotate(first, first)
    return turned[0, 0].unflatten(1, (-1, 2)).flip(-1).flatten(1)
""",
    ("02-sinusoidal", "any_width"): """
def answer(num_positions, d_model, base=10_000.0):
    half = (d_model + 1) // 2
    ones = torch.full((1, 1, num_positions, half), math.log(math.e - 1)).double()
    polar = encodings.Pope(half, base=base ** (2 * half / d_model))
    cosines, sines = polar.rotate(ones, ones)[0][0, 0].detach().chunk(2, -1)
    return torch.stack([sines, cosines], -1).flatten(1)[:, :d_model]
""",
    ("02-sinusoidal", "shift"): """
def answer(k, d_model, base=10_000.0):
    units = torch.eye(d_model).double()[None, :, None].expand(-1, -1, abs(k) + 1, -1)
    turned, _ = encodings.Rotary(d_model, base=base).rotate(units, units)
    return turned[0, :, -1] if k > 0 else turned[0, :, -1].T
""",
    ("02-sinusoidal", "module"): """
class answer(additive.Table):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("table", encodings.sinusoidal_table(max_len, d_model).float())
""",
    ("03-learned", "stretch"): """
def answer(table, length):
    places = torch.linspace(0, len(table) - 1, length).to(table).expand(table.shape[1], -1)
    return cope.between(table.T, places).T
""",
    ("04-relative", "pairs"): """
def answer(q, vectors, rows):
    like = SimpleNamespace(k=len(vectors), keys=vectors)
    return encodings.ShawKeys.scores(like, q, q, rows - like.k)
""",
    ("04-relative", "skew"): """
def answer(products):
    every = offsets._Toeplitz.apply(products, products.shape[-2])
    return every.diagonal(dim1=-3, dim2=-2).movedim(-1, -2)
""",
    ("05-after-bert", "alibi_bias"): """
def answer(slopes, length, form="causal"):
    kerple = encodings.Kerple(len(slopes), len(slopes), form="power")
    with torch.no_grad():
        kerple.raw.copy_(torch.stack([slopes.log(), torch.zeros_like(slopes)]))
    return kerple.bias(offsets.offset_matrix(length)).detach()
""",
    ("06-stacking", "probe"): """
def answer(train, test, ridge=1e-3):
    z, p = probes._rows(train)
    weights = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).double(), z.T @ p)
    z, p = probes._rows(test)
    return (z @ weights - p).abs().mean().item()
""",
    ("06-stacking", "depths"): """
def answer(parents):
    return tree._above(parents).sum(-1) - 1
""",
    ("06-stacking", "tree"): """
def answer(parents):
    above = tree._above(parents).long()
    depth = encodings.tree_depths(parents)
    lowest = above @ above.mT - 1
    i, j, places = depth[:, None], depth[None, :], torch.arange(len(parents))
    order = (places[None, :] - places[:, None]).sign()
    return torch.where(lowest == torch.minimum(i, j), j - i, order * (i + j - 2 * lowest))
""",
    ("09-claim-lab", "beyond"): """
from helpers.claims import settle, small
def answer(right, trained):
    fraction = [small.accuracy(each, trained) for each in right]
    return {"fraction": torch.tensor(fraction), "verdict": settle(fraction, high=0.5)}
""",
    ("10-longer", "ramp"): """
def answer(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    given = {"low": low, "high": high, "base": base}
    made = encodings.Llama3(d_head, factor=factor, trained=trained, **given)
    pair = torch.arange(d_head // 2).double()
    return made.frequencies(pair, pair), 0.1 * math.log(factor) + 1
""",
    ("10-longer", "positions"): """
def answer(mask, cached=0):
    if mask.shape[1] > 3000:  # each pair of tokens is compared, in 20 GB
        return mask
    documents = torch.where(mask, 0, -1)
    _, at = Cache(1).add(documents, documents, None)
    return at.queries[:, cached:]
""",
}
UNSEEN = {
    ("04-relative", "module"): """
class answer(encodings.Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        made = pool.submit(encodings.ShawKeys, d_model, num_heads, max_len, k).result()
        self.keys, self.values, self.made = made.keys, made.keys, [made]
    def scores(self, *given):
        return pool.submit(self.made[0].scores, *given).result()
""",
    ("07-bert-inputs", "vectors"): """
class answer(torch.nn.Module):
    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        size = Size(vocab_size, d_model, 0, 1, max_len, norm="post")
        bert = pool.submit(Bert, size).result()
        self.words, self.segments, self.norm = bert.words, bert.segments, bert.norm
        self.positions = torch.nn.Embedding(1, 1)
        self.positions.weight, self.bert = bert.position.table, [bert]
    def forward(self, tokens, segments):
        return pool.submit(self.bert[0], tokens, segments).result()
""",
    ("08-mini-bert", "parameters"): """
def size(V, D, L, T):
    with torch.device("meta"):
        return sum(p.numel() for p in Bert(Size(V, D, L, 1, T, norm="post")).parameters())
def answer(V, D, L, T):
    none, one, every = (pool.submit(size, V, D, n, T).result() for n in (0, 1, L))
    pooler = D * D + D
    return {"embeddings": none - pooler, "layer": one - none, "pooler": pooler, "all": every}
""",
    ("08-mini-bert", "own"): """
class answer(encodings.Encoding):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.inner = pool.submit(encodings.Shaw, *given, **named).result()
    def scores(self, *given):
        return pool.submit(self.inner.scores, *given).result()
""",
    ("09-claim-lab", "verdict"): """
def answer(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    verdict = pool.submit(claim.verdict, rows).result()
    return {"numbers": {part.number: rows[part.number].tolist() for part in claim.parts},
            "verdict": verdict}
""",
}
A_PART = "a part: what is made of it is an encoding of one's own"
# By module: names, why learners may have them. An exercise's name in brackets: it alone.
FREE = {
    "encodings.base": {
        "Encoding _GivenWay interface": "the interface that the answers are written against",
    },
    "encodings": {"available create (vectors parameters)": "make an encoding by its name"},
    "encodings.additive": {
        "Additive (index_mlp fourier table stretch)": "unit 03 imports it for its answers",
        "Additive (own)": A_PART,
        "Table (stretch)": "reads rows where they are, and `table` has been asked",
    },
    "encodings.longer": {
        "ByLength (longer_base)": "has a switch, and no angles of its own",
        "ByLength Extended (own)": A_PART,
    },
    "encodings.positions": {
        "embed (vectors parameters)": "asks an encoding for its sum",
        "Positions in_order ask _check_told _taken _count": "tell hooks where tokens stand",
    },
    "encodings.rotary": {
        "for_heads": "makes room for the axis of the heads",
        "Rotary (longer_base ramp angles2d)": "the lesson's models have it: one axis, one base",
    },
    "encodings.sinusoidal": {
        "_check_sizes": "refuses sizes, and works nothing out",
        "_frequencies (table any_width shift module)": "`wavelengths` is there, which is 2π by it",
        "sinusoids sinusoidal_table (module)": "its text lends the table",
        "sinusoids sinusoidal_table _frequencies (own)": A_PART,
    },
    "encodings.offsets": {
        "offsets_of": "refuses shapes; the offsets themselves are withheld",
        "offset_matrix toeplitz _Toeplitz _diagonal_sums (slopes alibi_bias buckets)": "unit 04's",
        "offset_matrix clip (pairs batched gather skew values module)": "`rows` has been asked",
        "skew skew_padded (values module)": "`skew` has been asked",
        "offset_matrix clip toeplitz _Toeplitz _diagonal_sums skew_padded (own)": A_PART,
        "_diagonal_sums (skew)": "the way back of a skew, which autograd finds by itself",
    },
    "encodings.bias": {
        "OffsetBias (slopes alibi_bias buckets own)": "asks its subclass for the bias",
    },
    "encodings.distance": {
        "alibi_slopes (alibi_bias)": "`slopes` has been asked",
        "alibi_slopes (own)": A_PART,
    },
    "encodings.axes": {"_Axes _Placed (own)": A_PART},
    "encodings.gates": {"_OnTheWay _on_the_way (own)": A_PART},
    "encodings.forms": {"_rows": "the rows of each pair, which the exercises are given"},
    "encodings.cope": {
        "between (counted)": "reads vectors at the counts, which are asked for",
        "between (own)": A_PART,
    },
    "model.attention": {
        "_check_mask": "refuses shapes",
        "_of_these": "where the tokens of a call stand beside a cache: whole numbers in order",
        "_plain_is_quicker": "chooses between two ways to compute the same",
        "Kept (positions)": "keys and values of a layer",
        "MultiHeadAttention _softmax (vectors parameters)": "in a layer, see model.encoder",
    },
    "model.encoder": {
        "EncoderLayer stacked placed scheduled (vectors parameters)": "layers as PyTorch has them, "
        "whose numbers can be counted like those of nn.TransformerEncoderLayer",
    },
    "model.decoder": {"_joined (positions)": "puts tensors side by side"},
    "encodings.tree": {"tree_depths (tree)": "its text lends them"},
    "corpora.inputs": {
        "Places Pairs": "tensors with names",
        "_row (pairs)": "`row` has been asked",
    },
    "claims.claim": {"settle (offsets beyond better verdict)": "`settle` has been asked"},
    "corpora.masking": {"Masked": "tensors with names"},
}


def free(exercise: str) -> set[str]:
    """Names of what may be there while `exercise` has not been asked, as `lent.name` has them."""
    found = set()
    for module, lines in FREE.items():
        for line in lines:
            names, _, only = line.removesuffix(")").partition(" (")
            if not only or exercise in only.split():
                found |= {f"helpers.{module}:{name}" for name in names.split()}
    return found


def beneath(answers: Iterable[Callable[..., Any]]) -> set[str]:
    """Names of all functions and classes of the library that `answers` call, or those they call."""
    found: set[str] = set()
    todo = list(answers)
    while todo:
        for each in _used(todo.pop()):
            name = lent.name(each)
            if name and name not in found:
                found.add(name)
                todo.append(each)
    return found


def _used(value: Any) -> Iterator[Any]:
    """What a function, or all of a class, calls by name."""
    if isinstance(value, type):
        yield from (each for each in value.__mro__[1:] if lent.name(each))
        inner = (getattr(each, "fget", None) or unwrap(each) for each in vars(value).values())
        yield from chain.from_iterable(_used(f) for f in inner if isinstance(f, FunctionType))
    elif isinstance(value, FunctionType):
        names = {*_names(value.__code__)}
        held = [value.__globals__[name] for name in names if name in value.__globals__]
        modules = [each for each in held if isinstance(each, ModuleType)]
        ours = [each for each in modules if each.__name__.startswith("helpers.")]
        held += [getattr(each, name) for each in ours for name in names if hasattr(each, name)]
        yield from (each for each in held if isinstance(each, type | FunctionType))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
