"""What the text of an exercise promises, and the cases of its check that hold the promise."""
