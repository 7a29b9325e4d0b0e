"""Pictures say in words what they show, and it is so; an encoding looks the same in each race."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch

from helpers import encodings, plots
from helpers.encodings.base import HOOKS
from helpers.pictures import clock, filling, hooks, longer, offsets, stack, text


def _words(figure: object) -> list[str]:
    """All that is written in a figure."""
    return [each.get_text() for ax in figure.axes for each in ax.texts]  # type: ignore[attr-defined]


@pytest.mark.parametrize("lit", [(), *((name,) for name in HOOKS), ("bias", "context")])
def test_the_map_lights_the_hooks_of_a_unit(lit: tuple[str, ...]) -> None:
    figure, alt = hooks.hooks(*lit)
    bold = {each.get_text() for each in figure.axes[0].texts if each.get_fontweight() == "bold"}
    assert {word.removeprefix("+ ") for word in bold} == set(lit)
    assert all(hooks.SAYS[name] in alt for name in lit)
    plots.png(figure)


def test_hands_stand_where_the_table_says() -> None:
    figure, _ = clock.clocks(first=3, hands=4)
    table = encodings.sinusoidal_table(11, 8)
    ends = np.array([line.get_xydata() for line in figure.axes[0].lines]).reshape(8, 4, 2, 2)
    hands = ends[:, :, 1] - ends[:, :, 0]
    hands /= np.linalg.norm(hands, axis=-1, keepdims=True)
    assert np.allclose(hands.reshape(8, 8), table[3:])
    plots.png(figure)


@pytest.mark.parametrize("move", [0, 4])
def test_query_and_key_keep_their_angle_wherever_both_stand(move: int) -> None:
    figure, alt = clock.turning(2 + move, 5 + move)
    assert "86 both times after" in alt  # 0.6 + 3 · 0.3 radians
    plots.png(figure)


def test_the_staircase_counts_its_vectors() -> None:
    figure, alt = offsets.staircase(7, 3)
    assert "49 pairs need 7 vectors" in alt
    table = np.array(_words(figure), dtype=int).reshape(7, 7)
    position = np.arange(7)
    assert (table == (position - position[:, None]).clip(-3, 3)).all()
    assert "49 pairs need 13 vectors" in offsets.staircase(7)[1]
    plt.close("all")


def test_memory_cut_again_has_a_column_per_key() -> None:
    _, again = offsets.cut_again(5)
    for query in range(5):
        for key in range(5):
            assert again[query, key].tolist() == [query, key - query + 4]
    figure, _ = offsets.skewed(5)
    shown = [[each.get_text() for each in ax.texts] for ax in figure.axes]
    assert shown[0] == shown[1] and shown[2] == shown[0][4:-1]
    plots.png(figure)


def test_pieces_rows_and_fates_are_told() -> None:
    _, alt = text.pieces("unhappy", ["un", "##happy"])
    assert alt.endswith("un; then un ##happy.")
    figure, alt = text.row(["the", "dog"], ["it", "barks"])
    assert "[CLS] the dog [SEP] it barks [SEP]" in alt
    assert [w for w in _words(figure) if w in "AB"] == ["A"] * 4 + ["B"] * 3
    _, alt = text.fates(["a", "b", "c"], ["[MASK]", "x", "c"], [0, 1, 2])
    assert "a: [MASK]; b: random word; c: stays" in alt
    plt.close("all")


def test_offsets_are_counted_along_the_arcs() -> None:
    figure, alt = stack.tree(["the", "dog", "that", "barked", "ran"], [1, 4, 3, 1, -1], 1)
    assert "the −1 and +1, dog 0 and 0, that +1 and +2, barked +2 and +1, ran +3 and −1" in alt
    assert _words(figure)[3:5] == ["−1", "+1"]  # below the first word: in the text, in the tree
    plots.png(figure)


def test_gaps_are_lit_and_their_guesses_told() -> None:
    pieces = ["[CLS]", "returns", "[MASK]", "$", "[SEP]"]
    figure, alt = filling.filling(pieces, {2: [("true", 0.5), ("##s", 0.25)]})
    assert alt == "[CLS] returns [MASK] $ [SEP] Filled in: true 0.50, ##s 0.25."
    assert _words(figure) == [*pieces, "true", "0.50", "##s", "0.25"]
    plots.png(figure)


def test_a_long_text_goes_on_in_the_next_line_and_one_without_gaps_says_what_to_write() -> None:
    figure, alt = filling.filling(["position"] * 30, {})
    boxes = [each for each in figure.axes[0].texts if each.get_text() == "position"]
    assert max(each.get_position()[0] for each in boxes) < filling.WIDTH
    assert "there is no [MASK]" in alt and any("Write [MASK]" in word for word in _words(figure))
    plots.png(figure)


def test_padding_has_no_position_and_new_tokens_are_lit() -> None:
    mask = torch.tensor([[False, False, True, True], [True, True, True, True]])
    found = torch.tensor([[0, 0, 0, 1], [0, 1, 2, 3]])
    figure, alt = longer.places(mask, found, 3)
    assert "text 0: 2 of padding, 0, then 1; text 1: 0 of padding, 0 1 2, then 3" in alt
    words = figure.axes[0].texts
    assert [each.get_text() for each in words if each.get_fontweight() == "bold"] == ["1", "3"]
    assert sum(each.get_text() == "·" for each in words) == 2
    plots.png(figure)


def test_hands_of_patches_stand_at_their_angles() -> None:
    angles = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    figure, alt = longer.grid(2, 2, angles, ["pair of rows", "pair of columns"])
    assert "pair of rows: the same along each row" in alt
    assert "pair of columns: the same along each column" in alt
    for pair, ax in enumerate(figure.axes):
        for hand, angle in zip(ax.lines, angles[:, pair].tolist(), strict=True):
            (x, y), (to_x, to_y) = np.asarray(hand.get_xydata())
            assert np.allclose([to_x - x, y - to_y], 0.4 * np.array([np.sin(angle), np.cos(angle)]))
    plots.png(figure)


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
