"""Measure claims from a shell: `python -m helpers.claims 7`, or all of them without a number."""

from __future__ import annotations

import argparse
import time

import torch

from helpers.claims import CLAIMS


def main() -> None:
    """Print each claim with its numbers, its verdict and the seconds that it took."""
    parser = argparse.ArgumentParser(prog="python -m helpers.claims", description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="of the claims; all if none is given")
    parser.add_argument("--full", action="store_true", help="the longer form of the measurement")
    parser.add_argument("--seeds", type=int, help="how many, from 0; else as many as it needs")
    given = parser.parse_args()
    unknown = set(given.numbers) - set(CLAIMS)
    if unknown:
        parser.error(f"there is no claim {unknown.pop()}; choose from 1 to {max(CLAIMS)}")
    torch.set_num_threads(1)  # the models are small, and some claims are about time
    for number in given.numbers or CLAIMS:
        claim = CLAIMS[number]
        print(f"{number}. {claim.text} ({claim.source})")
        if claim.measurement is None:
            print(f"   {claim.verdict()}, by reading. {claim.why} {claim.reference}\n")
            continue
        begun = time.perf_counter()
        table = claim.measure(given.seeds and range(given.seeds), given.full)
        took = time.perf_counter() - begun
        print(claim.findings(table).to_string(index=False))
        print(f"   {claim.verdict(table)}, {took:.0f} s. {claim.why} {claim.reference}\n")


if __name__ == "__main__":
    main()
