"""Against implementations that others wrote, how some of those deviate, and the page of all."""

import re

import pytest
import torch
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.t5.modeling_t5 import T5Attention

from helpers.book import d2l
from helpers.encodings import T5Bias, available, sinusoidal_table
from tests.encodings import table
from tests.encodings.oracles import ORACLES, Oracle
from tests.encodings.oracles.offsets import deberta_scores
from tests.encodings.oracles.structure import convolved

close = torch.testing.assert_close


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda each: f"{each.encoding}: {each.whose}")
def test_ours_is_what_others_wrote(oracle: Oracle) -> None:
    ours, theirs = oracle.pair()
    close(ours, theirs.expand_as(ours), rtol=0, atol=oracle.tolerance)
    assert ours.double().abs().max() > 0.01


def test_every_encoding_has_an_oracle() -> None:
    assert {each.encoding for each in ORACLES} == set(available()) - {"none"}


def test_the_books_table_is_ours_to_single_precision() -> None:
    theirs = d2l.PositionalEncoding(64, dropout=0, max_len=200).P[0].double()
    close(sinusoidal_table(200, 64), theirs, rtol=0, atol=2e-5)


def test_m2m100_differs_by_its_exponent_and_by_nothing_else() -> None:
    length, half = 64, 32
    theirs = M2M100SinusoidalPositionalEmbedding.get_embedding(length, 2 * half, None)
    ours = sinusoidal_table(length, 2 * half)
    ours = torch.cat([ours[:, 0::2], ours[:, 1::2]], 1)  # it concatenates the halves
    assert (theirs - ours).abs().max() > 0.5
    omega = 10_000.0 ** (-torch.arange(half) / (half - 1))  # D/2 − 1 instead of D/2
    angle = torch.arange(length)[:, None] * omega
    exact = torch.cat([angle.sin(), angle.cos()], 1)
    close(theirs.double(), exact, rtol=0, atol=2e-5)


def test_the_paper_of_deberta_differs_from_its_code_by_the_index_of_one_term() -> None:
    ours, theirs = deberta_scores("paper")
    assert (ours - theirs).abs().max() > 0.01
    ours, theirs = deberta_scores("code")
    close(ours, theirs, rtol=0, atol=1e-7)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("buckets", "distance"), [(32, 128), (8, 20), (64, 1000)])
def test_buckets_are_those_of_t5(causal: bool, buckets: int, distance: int) -> None:
    offsets = torch.arange(-1500, 1501)
    theirs = T5Attention._relative_position_bucket(offsets, not causal, buckets, distance)
    ours = T5Bias(12, 3, buckets=buckets, max_distance=distance, causal=causal)
    assert torch.equal(ours.bucket(offsets), theirs)
    assert torch.equal(ours.bfloat16().bucket(offsets), theirs)  # whatever the table's dtype


def test_what_t5s_buckets_leave_out() -> None:
    """With 32 buckets both ways, bucket 16 is never used and the last begins at offset 91."""
    buckets = T5Bias(12, 3).bucket(torch.arange(-200, 201))
    assert sorted(set(range(32)) - set(buckets.tolist())) == [16]
    assert (torch.arange(-200, 201)[buckets == 31]).min() == 91


@pytest.mark.parametrize(("heads", "columns"), [(3, None), (9, 7)])
def test_heads_become_a_convolution_as_they_sharpen(heads: int, columns: int | None) -> None:
    off = []
    for sharpness in (5.0, 10.0, 20.0):
        ours, theirs = convolved(heads, columns, sharpness)
        off.append((ours - theirs).abs().max().item())
    assert off[0] > 1e-2 > off[1] > 1e-5 > off[2]


NUMBER = re.compile(r"\| (\de-\d+) \|$", re.MULTILINE)


def test_the_page_is_what_make_table_writes() -> None:
    """Rounding may differ between machines."""
    written = table.PATH.read_text(encoding="utf-8")
    fresh = table.as_markdown(table.rows())
    assert NUMBER.sub("", written) == NUMBER.sub("", fresh), "run: python -m tests.encodings.table"
    stored = [float(each) for each in NUMBER.findall(written)]
    assert stored and all(value < 1e-6 for value in stored)
