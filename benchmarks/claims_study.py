"""Every measured claim of `helpers.claims` on 20 seeds: does its verdict depend on chance?

Prints mean, spread and margin of each part, and stores a row for each seed and number. All in one
process and on one thread, since some of the claims are about time. A claim that reads another
study has the seeds of that one. With numbers of claims behind the command only these are measured
again, and the others kept as they are recorded.
"""

from __future__ import annotations

import sys

import pandas as pd
import torch
from tqdm import tqdm

from helpers import results
from helpers.claims import CLAIMS, Claim

SEEDS = range(20)
COLUMNS = ["claim", "seed", "number", "value"]


def rows(claims: list[Claim]) -> pd.DataFrame:
    """Columns claim, seed, number and value."""
    found = []
    for seed in tqdm(SEEDS, desc="seed"):  # seed by seed: the claims share trained models
        for claim in claims:
            if claim.record and seed not in claim.seeds:
                continue
            table = claim.measure([seed]).melt("seed", var_name="number")
            found.append(table.assign(claim=claim.number))
    return pd.concat(found, ignore_index=True)[COLUMNS]


def main(numbers: list[int]) -> None:
    """Run the study and say what follows."""
    torch.set_num_threads(1)
    table = rows([each for n, each in CLAIMS.items() if each.measurement and n in numbers])
    if set(numbers) != set(CLAIMS):
        before = results.load("claims").table
        kept = before[~before["claim"].isin(numbers)]
        table = pd.concat([kept, table]).sort_values(["claim", "seed"], kind="stable")
    path = results.save("claims", table, "make study")
    for number, each in table.groupby("claim"):
        wide = each.pivot(index="seed", columns="number", values="value").reset_index()
        claim = CLAIMS[int(str(number))]
        print(f"\n{number}. {claim.text}\n{claim.findings(wide).to_string(index=False)}")
        print(f"verdict: {claim.verdict(wide)}")
    print(path)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or list(CLAIMS))
