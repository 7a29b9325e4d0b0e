"""Cached generation is timed for every extension, and its targets can be missed."""

import pandas as pd
import pytest

from benchmarks import generation as bench


@pytest.mark.rotating
def test_every_extension_is_measured_in_each_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    table = bench.measure(lengths=(12,))
    assert len(table) == len(bench.NAMES) * (1 + len(bench.PEERS))
    assert (table["seconds"] > 0).all()
    # Keys and values of each layer in float32, for each text of the batch.
    assert (table["bytes"] == 2 * 4 * bench.D * bench.L * bench.B).all()


def test_a_target_is_met_or_missed() -> None:
    def told(ours: float, kept: float) -> list[str]:
        seconds, sizes = {"ours": ours, "GPT-NeoX": 1.0, "Llama": 2.0}, {"ours": kept}
        rows = [
            {
                "extension": name,
                "T": 256,
                "model": model,
                "seconds": s,
                "bytes": sizes.get(model, 1.0),
            }
            for name in ("rotary", "dynamic_ntk" + bench.ANEW)
            for model, s in seconds.items()
        ]
        return [line[:6].strip() for line in bench.targets(pd.DataFrame(rows))]

    assert told(1.05, 1.0) == ["met", "", "met"]
    assert told(1.2, 1.2) == ["missed", "", "missed"]
