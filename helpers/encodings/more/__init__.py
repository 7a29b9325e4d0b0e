"""Encodings that no unit, study or claim uses; each is tested beside another implementation."""
