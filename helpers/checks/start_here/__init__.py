"""Unit 00, the warm-up: where does each token stand?"""

from helpers.checks.start_here.positions import positions

__all__ = ["positions"]
