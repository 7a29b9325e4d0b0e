"""Languages whose best possible loss is known exactly."""

from helpers.corpora.lag import LagLanguage
from helpers.corpora.masking import Masked, corrupt

__all__ = ["LagLanguage", "Masked", "corrupt"]
