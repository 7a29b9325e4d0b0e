"""The race: what an encoding can do, by one command, under rules that are the same for all.

`race("mine.py:Mine")` trains and tests a class beside no positions, RoPE and the best so far, and
returns a `Card`. The same from a shell: `course race mine.py:Mine`. docs/race.md has the rules.
"""

from helpers.race.card import Card
from helpers.race.entrant import EntrantError
from helpers.race.racing import race
from helpers.race.rules import FULL, QUICK, VERSION, Budget

__all__ = ["FULL", "QUICK", "VERSION", "Budget", "Card", "EntrantError", "race"]
