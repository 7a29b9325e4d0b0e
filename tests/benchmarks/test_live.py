"""The weights of the live mini BERT: packed, and all that the page reads of them."""

import torch

from benchmarks import live_study, live_text, live_weights
from helpers.model.bert import Bert, Pretraining, preset

SIZE = preset("mini", vocab_size=80, d_model=8, num_heads=4, max_len=live_text.LONGEST)


def test_what_is_unpacked_is_off_by_half_a_step_at_most() -> None:
    torch.manual_seed(0)
    model = Pretraining(Bert(SIZE, "shaw"))
    weights = live_weights.read_by_the_page(model)
    found = live_weights.unpack(live_weights.pack(weights), live_weights.shapes(weights))
    assert list(found) == list(weights)
    for name, each in weights.items():
        if each.dim() == 1:
            assert torch.equal(found[name], each)
        else:
            step = 1.02 * each.abs().amax(1, keepdim=True) / live_weights.LARGEST
            assert ((found[name] - each).abs() <= 0.51 * step).all()
            assert not torch.equal(found[name], each)


def test_the_page_reads_everything_that_fills_a_gap() -> None:
    """A model that is given what is read fills gaps as the one that it was taken from."""
    torch.manual_seed(0)
    for encoding in live_study.ENCODINGS:
        model = Pretraining(Bert(SIZE, encoding)).eval()
        other = Pretraining(Bert(SIZE, encoding)).eval()
        with torch.no_grad():
            for each in model.parameters():
                each.add_(torch.randn_like(each))
        live_weights.load(other, live_weights.read_by_the_page(model))
        ids = torch.randint(5, SIZE.vocab_size, (2, 9))
        assert torch.equal(model(ids), other(ids)), encoding
