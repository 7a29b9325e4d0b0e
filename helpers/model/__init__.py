"""Attention that calls the hooks of an encoding, and models made of it: encoder, BERT, decoder."""
