"""Right answers with one thing broken by machine: which of them does each check notice?"""
