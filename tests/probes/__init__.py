"""Answers whose marks are known beforehand: mistakes, right answers, mutants and saboteurs."""
