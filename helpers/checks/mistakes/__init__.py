"""Wrong answers that people give, one module per unit, each able to stand alone in a cell."""
