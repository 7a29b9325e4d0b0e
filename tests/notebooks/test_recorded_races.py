"""What units 00 to 05 say of the recorded races holds on every seed, or is said of the mean."""

import pandas as pd
import pytest

from helpers import results


class Race:
    """A recorded study: losses above the limit by encoding and length, over the seeds."""

    def __init__(self, name: str) -> None:
        table = results.load(name).table
        assert table.groupby(["encoding", "length"])["seed"].nunique().min() >= 3
        table["above"] = table["loss"] - table["limit"]
        runs = table.groupby(["encoding", "length"])
        # A row for each encoding, a column for each length.
        self.least, self.mean, self.most = (
            getattr(runs["above"], which)().unstack() for which in ("min", "mean", "max")
        )
        self.right_least, self.right, self.right_most = (
            getattr(runs["accuracy"], which)().unstack() for which in ("min", "mean", "max")
        )

    def worse(self, these: list[str], than: str, length: int) -> bool:
        """Whether every seed of these is above every seed of the other one."""
        return all(self.least.loc[each, length] > self.most.loc[than, length] for each in these)


@pytest.fixture(scope="module")
def lag() -> Race:
    return Race("lag3")


def test_what_is_added_to_the_input_is_lost_beyond_the_trained_length(lag: Race) -> None:
    added = ["sinusoidal", "learned", "learned, std 1", "Fourier, no norm"]
    assert (lag.most.loc[added, 24] < 0.1).all() and (lag.least.loc[added, 48] > 0.9).all()
    assert lag.worse(["sinusoidal"], "none", 96)
    assert lag.worse(["none"], "sinusoidal", 48)  # at 48 it is not yet worse
    assert all(lag.worse(["learned, std 1"], "learned", length) for length in (48, 96))
    table = results.load("lag3").table.query("length == 96")
    mean = table.groupby("encoding")["loss"].mean()  # with which units 04 and 05 begin
    assert mean[["learned", "none", "sinusoidal"]].round(2).tolist() == [1.77, 1.83, 1.95]
    assert round(table["limit"].mean(), 2) == 0.21 and mean["RoPE"].round(1) == 1.8
    assert mean[["clipped bias", "T5 bias"]].round(2).tolist() == [0.52, 0.85]  # unit 06


def test_what_the_sweep_of_unit_03_says(lag: Race) -> None:
    mean = lag.mean[24]
    learned = mean[["learned", "learned, std 1", "sinusoidal"]]
    assert learned.max() - learned.min() < 0.02
    index = [each for each in mean.index if each.startswith("index MLP")]
    assert len(index) == 5 and mean[index].min() > 0.3 and lag.least.loc[index, 24].min() > 0.25
    assert mean["index MLP"] > mean["none"]
    for by_96 in ("index MLP", "index MLP, normalised"):
        assert lag.worse([by_96], f"{by_96}, p/24", 24)
    # Although its vectors are further apart:
    assert all(mean["index MLP, raw"] - mean[each] > 0.9 for each in index if "p/24" in each)
    norms = lag.most.loc[["Fourier, no norm", "Fourier", "Fourier, γ = 10"], 24]
    assert norms.is_monotonic_increasing and mean["Fourier"] < 0.2
    assert round(mean["index MLP"] - mean["index MLP, normalised"], 2) == 0.66
    assert lag.most.loc["Fourier, γ = 10", 24] > 1
    assert abs(lag.least.loc["Fourier, γ = 10", 24] - mean["Fourier"]) < 0.02


def test_keys_can_do_without_values(lag: Race) -> None:
    assert (lag.most.loc[["Shaw", "Shaw keys", "Shaw values"], 24] < 0.05).all()
    for length, other in ((48, "Shaw keys"), (48, "Shaw"), (96, "Shaw keys"), (96, "Shaw")):
        assert lag.worse(["Shaw values"], other, length)
    assert lag.worse(["none"], "Shaw keys, k = 2", 24)
    clipped = Race("lag_controls")
    three, four = (f"Shaw keys, k = {k}" for k in (3, 4))
    assert (lag.least.loc["Shaw keys, k = 2"] > clipped.most.loc[three]).all()
    assert (clipped.least.loc[three] > clipped.most.loc[four] + 0.05).all()
    # That of k = 8:
    assert (abs(clipped.least.loc[four] - lag.mean.loc["Shaw keys"]) < 0.01).all()


def test_who_stays_near_the_limit(lag: Race) -> None:
    stay = ["Shaw keys", "Huang", "Transformer-XL", "DeBERTa", "CoPE"]
    assert (lag.most.loc[stay, [24, 48, 96]] < 0.09).all(axis=None)
    for drifting in ("T5 bias", "clipped bias"):
        steps = lag.mean.loc[drifting, [24, 48, 96]]
        assert steps.is_monotonic_increasing and steps[24] < 0.05
    assert lag.mean[96][["clipped bias", "T5 bias"]].round(2).tolist() == [0.31, 0.63]
    lost = ["RoPE", "xPos", "TUPE"]
    assert (lag.most.loc[lost, 24] < 0.05).all() and (lag.least.loc[lost, 96] > 1).all()
    assert 0.1 < lag.mean.loc["FIRE", 24] < 0.15 and lag.least.loc["FIRE", 96] > 1
    assert lag.most.loc["RoPE", 96] - lag.least.loc["RoPE", 96] > 0.5  # “its seeds differ widely”


def test_biases_that_see_only_the_distance(lag: Race) -> None:
    for length in (24, 48, 96):
        assert lag.worse(["ALiBi, symmetric"], "ALiBi, directional", length)
        mean = lag.mean[length]
        assert mean["Kerple"] - mean["ALiBi, directional"] < 0.02
    biases = ["ALiBi, symmetric", "ALiBi, directional", "Kerple"]
    assert (lag.least.loc[biases, 24] > 0.45).all()
    assert (lag.most.loc[biases, 96] - lag.least.loc[biases, 24] < 0.15).all()


def test_shift() -> None:
    shift = Race("shift3")
    assert (shift.right_least.loc[["Shaw keys", "Transformer-XL"]] > 0.99).all(axis=None)
    assert shift.right_least.loc["RoPE", 128] > 0.9 > shift.right_most.loc["T5 bias", 128]
    assert shift.right_least.loc[["T5 bias", "RoPE"], 32].min() > 0.99
    assert shift.right_most.loc["ALiBi, symmetric", 32] < 0.5
    assert shift.least.loc[["sinusoidal", "learned", "T5 bias"], 64].min() > 1


def test_reverse() -> None:
    reverse = Race("reverse")
    absolute, far, close = ["sinusoidal", "learned"], ["Shaw keys", "T5 bias"], "Transformer-XL"
    assert (reverse.right_least.loc[absolute, 16] == 1).all()
    assert reverse.right_most.loc[far, 16].max() < reverse.right_least.loc[close, 16]
    assert reverse.right.loc["RoPE", 16] > reverse.right.loc[close, 16] > 0.95
    assert all(reverse.worse(["RoPE", close], each, 16) for each in absolute)
    others = reverse.right.drop("none")
    assert 0 < others[32].max() - reverse.right.loc["none", 32] < 0.05
    assert others[64].max() < reverse.right.loc["none", 64]
    for length in (32, 64):
        assert (reverse.mean.drop("none")[length] > reverse.mean.loc["none", length]).all()


def test_what_short_training_does_to_vectors_of_positions() -> None:
    rows = results.load("lag_tables").table
    found = rows.pivot(index=["encoding", "seed"], columns="quantity", values="value")
    quiet, loud = found.loc["learned"], found.loc["learned, std 1"]
    index, fourier = found.loc["index MLP"], found.loc["Fourier, no norm"]
    assert len(quiet) >= 3 and (quiet["growth"] > 4).all() and (loud["growth"] < 1.1).all()
    assert (quiet["power at period 3"] > 1.5 * quiet["largest other power"]).all()
    assert (loud["power at period 3"] < 0.15).all()
    assert (quiet["multiples of 3 with a peak of the cosine"] == 1).all()
    assert (quiet["mean cosine at multiples of 3"] > 0.2).all()
    assert (quiet["mean cosine at other offsets"] < 0).all()
    assert (quiet["loss at 48, stretched"] > quiet["loss at 48, untrained"] + 1).all()
    least = quiet[[f"loss at 48, {each}" for each in ("untrained", "begin again")]].min(axis=1)
    assert (least > quiet["limit at 48"] + 0.5).all()
    assert (index["step after"] < index["step before"]).all() and (index["loss"] > 1.5).all()
    assert (fourier["step after"] > 2 * fourier["step before"]).all()
    alike = pd.concat([quiet, loud, fourier])["loss"]
    assert alike.max() - alike.min() < 0.1 and (alike < quiet["limit"].iloc[0] + 0.15).all()
