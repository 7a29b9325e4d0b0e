"""Encodings that no unit, study or claim uses; `create` builds them, and each has an oracle."""
