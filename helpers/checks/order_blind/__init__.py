"""Unit 01-order-blind: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.order_blind.attention import attention
from helpers.checks.order_blind.bag import bag
from helpers.checks.order_blind.gap import gap
from helpers.checks.order_blind.heads import heads
from helpers.checks.order_blind.masked import masked
from helpers.checks.order_blind.masks import masks
from helpers.checks.order_blind.prefix import prefix

__all__ = [
    "attention",
    "bag",
    "gap",
    "heads",
    "masked",
    "masks",
    "prefix",
]
