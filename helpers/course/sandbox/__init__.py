"""Where a learner's code runs, and what runs there; others enter by `session`."""
