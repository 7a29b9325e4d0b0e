"""Order Matters: the modules that the course's notebooks import."""

__version__ = "0.1.0"
