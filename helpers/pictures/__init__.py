"""Pictures that carry an idea, drawn by code: each function gives a figure and its text.

One style for all: the colours and the type of `helpers.plots`, boxes for what is computed, arrows
for what flows, one colour for what the lesson is about.
"""
