"""Unit 09-claim-lab: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.claim_lab.better import better
from helpers.checks.claim_lab.beyond import beyond
from helpers.checks.claim_lab.offsets import offsets
from helpers.checks.claim_lab.settle import settle
from helpers.checks.claim_lab.verdict import verdict

__all__ = [
    "better",
    "beyond",
    "offsets",
    "settle",
    "verdict",
]
