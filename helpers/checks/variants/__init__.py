"""Right answers written differently, one module per unit: each must earn full marks."""
