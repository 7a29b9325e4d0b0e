"""The smallest checks there can be, as an example for authors; the tests grade with them."""

from helpers.checks.tiny.multiples import double, triple

__all__ = ["double", "triple"]
