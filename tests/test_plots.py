"""Figures of races: an encoding looks the same wherever it is drawn."""

import matplotlib.pyplot as plt
import pandas as pd

from helpers import plots


def drawn(*names: str) -> dict[str, tuple[object, object]]:
    """Name → colour and line, in a race of these encodings."""
    rows = [
        {"encoding": name, "seed": 0, "length": length, "loss": 1.0, "limit": 0.5}
        for name in names
        for length in (24, 48)
    ]
    figure, ax = plt.subplots()
    plots.race(ax, pd.DataFrame(rows))
    looks = {str(line.get_label()): (line.get_color(), line.get_linestyle()) for line in ax.lines}
    plt.close(figure)
    return {name: looks[name] for name in names}


def test_an_encoding_looks_the_same_in_each_race() -> None:
    unit_04 = drawn("none", "T5 bias", "Shaw keys", "sinusoidal", "Huang", "learned")
    other = drawn("sinusoidal", "RoPE", "Shaw keys", "T5 bias")
    for name in unit_04.keys() & other.keys():
        assert unit_04[name] == other[name]


def test_no_two_in_a_race_look_alike() -> None:
    for names in (
        ("none", "sinusoidal", "learned", "Shaw keys", "Huang", "Transformer-XL", "T5 bias"),
        ("sinusoidal", "learned", "RoPE", "T5 bias", "clipped bias", "window", "Shaw keys"),
        ("none", "sinusoidal", "Shaw keys", "ALiBi", "RoPE", "window"),
        ("RoPE", "clipped", "interpolation", "NTK", "YaRN", "a", "b", "c", "d"),
    ):
        looks = drawn(*names)
        assert len({str(look) for look in looks.values()}) == len(names)
        assert len({colour for colour, _ in looks.values()}) == min(len(names), len(plots.COLOURS))
