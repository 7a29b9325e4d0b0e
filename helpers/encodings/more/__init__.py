"""Further encodings, which the course itself does not use; each is tested like all others."""
