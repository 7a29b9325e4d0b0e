"""Executes, judges and enters submissions; others enter by `grade`."""
