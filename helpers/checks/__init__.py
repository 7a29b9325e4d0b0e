"""Checks that name the mistake; one module per unit, each exercise an `Exercise`.

A notebook calls `check.table(sinusoidal_table)` with `from helpers.checks import sinusoidal as
check`. The same call, with another `seed`, is the hidden test.
"""
