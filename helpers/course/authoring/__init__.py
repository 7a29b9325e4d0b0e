"""From source/ to notebooks/, solutions/ and releases; others enter by `build`."""
