"""Attention that asks its encoding at four places, and the models made of it: encoder and BERT."""
