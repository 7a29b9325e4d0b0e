"""A small language with rules that ask for different things, and its exact limit.

Sentences of four topics, with number agreement across a relative clause; a *beat* word at four
fixed places, whatever the sentence (an absolute rule); and an *echo*: four places, 60 further on,
repeat the first four (a rule of fixed offset). A longer text goes on with sentences.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import torch
from torch import Generator, Tensor

from helpers.corpora.masking import MaskedBatch, corrupt, evidence, negative_log_likelihood

TOPICS, NOUNS, VERBS, ADVERBS, DETERMINERS = 4, 8, 6, 4, 4
STAY, CLAUSE, NOISE = 0.9, 0.5, 0.1
SINGULAR, PLURAL = 0, 1
KINDS = ("beat", "echo", "verb", "other")
State = tuple[str, int, int, int]


def _vocabulary(beats: int) -> list[str]:
    words = [f"det{n}" for n in range(DETERMINERS)]
    for topic, number in itertools.product(range(TOPICS), "sp"):
        words += [f"noun{topic}{n}{number}" for n in range(NOUNS)]
        words += [f"verb{topic}{n}{number}" for n in range(VERBS)]
    words += [f"adverb{topic}{n}" for topic in range(TOPICS) for n in range(ADVERBS)]
    return [*words, "that", ".", *(f"beat{n}" for n in range(beats))]


class _Draw:
    """Draws from the rows of `shares` (R, N), each of which adds up to 1.

    The cumulative sums of all rows lie one behind the other, row r between r and r + 1, so that one
    search serves any number of draws. `torch.multinomial` would take N random numbers for each.
    """

    def __init__(self, shares: Tensor) -> None:
        sums = shares.cumsum(1)
        sums = sums / sums[:, -1:]
        self.ends = (sums + torch.arange(len(shares))[:, None]).flatten()
        self.width = shares.shape[1]

    def __call__(self, rows: Tensor, generator: Generator) -> Tensor:
        """Draw a number from 0 to N − 1 for each of `rows`, int64."""
        # Above 0, and with 24 bits, so that the sum with a row's number is exact.
        chances = 1 - torch.rand(len(rows), generator=generator).double()
        return torch.searchsorted(self.ends, rows + chances) - rows * self.width


class Grammar:
    """Hidden Markov sentences with beats and an echo.

    A state is (slot, topic, number of the subject, number of the noun in the clause). A verb
    agrees with its own subject, not with the noun that stands nearest.

    Args:
        length: T; texts have this length unless a longer one is asked for.
        beats: places of the beat words, beyond the first `echo` and before the last `echo` of T.
        echo: how many words at the beginning are repeated in the last places of T.

    Raises:
        ValueError: a beat is in the echo, in what it repeats, or not in the text; or these overlap.
    """

    def __init__(
        self, length: int = 64, beats: tuple[int, ...] = (8, 24, 40, 56), echo: int = 4
    ) -> None:
        between = range(echo, length - echo)
        if 2 * echo > length:
            raise ValueError(f"length={length} has no room for an echo of {echo} words")
        if not all(place in between for place in beats):
            raise ValueError(f"beats={beats} must be places from {echo} to {length - echo - 1}")
        self.length, self.beat_places, self.echo = length, beats, echo
        self.words = _vocabulary(len(beats))
        self.num_symbols = len(self.words)
        self.mask_id = self.num_symbols
        self.vocab_size = self.num_symbols + 1
        self.echoed = slice(length - echo, length)
        self.states = list(self._all_states())
        index = {state: n for n, state in enumerate(self.states)}
        size = len(self.states)
        self.transition = torch.zeros(size, size, dtype=torch.float64)
        for state in self.states:
            for follower, probability in self._followers(state):
                self.transition[index[state], index[follower]] += probability
        self.emission = torch.stack([self._emitted(state) for state in self.states])  # (S, V)
        self.start = torch.zeros(size, dtype=torch.float64)
        for topic in range(TOPICS):
            self.start[index["det", topic, 0, 0]] = 1 / TOPICS
        # The echo of a word, and the word at each beat: right, or in one of ten any word at all.
        eye = torch.eye(self.num_symbols, dtype=torch.float64)
        self.copied = (1 - NOISE) * eye + NOISE / self.num_symbols  # (V, V)
        self.beats = self.copied[self.num_symbols - len(beats) :]  # (beats, V)

    @staticmethod
    def _all_states() -> Iterable[State]:
        topics, numbers = range(TOPICS), (SINGULAR, PLURAL)
        alone = itertools.product(("det", "adverb", "stop"), topics, (0,), (0,))
        subject = itertools.product(("noun", "that", "clause_det", "verb"), topics, numbers, (0,))
        both = itertools.product(("clause_noun", "clause_verb"), topics, numbers, numbers)
        return itertools.chain(alone, subject, both)

    @staticmethod
    def _followers(state: State) -> list[tuple[State, float]]:
        slot, topic, number, other = state
        if slot == "det":
            return [(("noun", topic, n, 0), 0.5) for n in (SINGULAR, PLURAL)]
        if slot == "noun":
            plain, clause = ("verb", topic, number, 0), ("that", topic, number, 0)
            return [(plain, 1 - CLAUSE), (clause, CLAUSE)]
        if slot == "clause_det":
            return [(("clause_noun", topic, number, n), 0.5) for n in (SINGULAR, PLURAL)]
        if slot == "verb":
            return [(("adverb", topic, 0, 0), 0.5), (("stop", topic, 0, 0), 0.5)]
        if slot == "stop":
            change = (1 - STAY) / TOPICS
            return [(("det", t, 0, 0), change + (STAY if t == topic else 0)) for t in range(TOPICS)]
        after = {
            "that": ("clause_det", topic, number, 0),
            "clause_noun": ("clause_verb", topic, number, other),
            "clause_verb": ("verb", topic, number, 0),
            "adverb": ("stop", topic, 0, 0),
        }
        return [(after[slot], 1.0)]

    def _emitted(self, state: State) -> Tensor:
        """Return P(word | state), (V,): Zipf within the slot, so that some words are common."""
        slot, topic, number, other = state
        number = other if slot.startswith("clause_") else number
        letter = "sp"[number]
        starts = {
            "noun": (f"noun{topic}", letter),
            "clause_noun": (f"noun{topic}", letter),
            "verb": (f"verb{topic}", letter),
            "clause_verb": (f"verb{topic}", letter),
            "adverb": (f"adverb{topic}", ""),
            "det": ("det", ""),
            "clause_det": ("det", ""),
            "that": ("that", ""),
            "stop": (".", ""),
        }
        first, last = starts[slot]
        fits = [n for n, w in enumerate(self.words) if w.startswith(first) and w.endswith(last)]
        shares = torch.zeros(self.num_symbols, dtype=torch.float64)
        shares[fits] = 1 / torch.arange(1, len(fits) + 1, dtype=torch.float64)
        return shares / shares.sum()

    def chain(self, length: int | None = None) -> list[int]:
        """Return the places of the sentences in a text of `length` words: no beat, no echo."""
        length = self.length if length is None else length
        others = {*self.beat_places, *range(self.echoed.start, self.echoed.stop)}
        return [t for t in range(length) if t not in others]

    def sample(self, batch: int, generator: Generator, length: int | None = None) -> Tensor:
        """Draw token ids (batch, length), int64; T words where no length is given.

        Raises:
            ValueError: `length` is below T.
        """
        length = self.length if length is None else length
        if length < self.length:
            raise ValueError(f"length={length}: this grammar has texts of {self.length} words")

        emit, follow, copy = (_Draw(each) for each in (self.emission, self.transition, self.copied))
        nothing = torch.zeros(batch, dtype=torch.int64)
        tokens = torch.empty(batch, length, dtype=torch.int64)
        state = _Draw(self.start[None])(nothing, generator)
        for t in self.chain(length):
            tokens[:, t] = emit(state, generator)
            state = follow(state, generator)
        for n, t in enumerate(self.beat_places):
            tokens[:, t] = _Draw(self.beats)(nothing + n, generator)
        for n in range(self.echo):
            tokens[:, self.echoed.start + n] = copy(tokens[:, n], generator)
        return tokens

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw a fresh batch with BERT's corruption; `length` must be T or more."""
        tokens = self.sample(batch, generator, length)
        return corrupt(tokens, self.num_symbols, self.mask_id, generator)

    def posterior(self, masked: MaskedBatch) -> Tensor:
        """Compute P(x_t | all inputs, place t was selected), (B, T, V), float64, exact.

        Forward–backward over the places of the chain. The echo of a word is evidence of it, and
        the word, with all that the chain knows of it, is evidence of its echo.
        """
        unsure, scored = evidence(masked.inputs, self.num_symbols)
        heard = torch.ones_like(unsure)  # what the echo says of a word
        heard[:, : self.echo] = unsure[:, self.echoed] @ self.copied.T
        of_state = (unsure * heard) @ self.emission.T  # (B, T, S)
        around = self._around(of_state) @ self.emission  # (B, T, V), without the place's own
        posterior = around * heard * scored
        for n, t in enumerate(self.beat_places):
            posterior[:, t] = self.beats[n] * scored[:, t]
        source = (around * unsure)[:, : self.echo]
        posterior[:, self.echoed] = (source @ self.copied) * scored[:, self.echoed]
        return posterior / posterior.sum(-1, keepdim=True)

    def _around(self, of_state: Tensor) -> Tensor:
        """Compute P(state at t | all places but t), up to a factor, on the chain; (B, T, S)."""
        chain = self.chain(of_state.shape[1])
        before, after = torch.ones_like(of_state), torch.ones_like(of_state)
        message = self.start.expand(len(of_state), -1)
        for t in chain:
            before[:, t] = message
            message = (message * of_state[:, t]) @ self.transition
            message = message / message.sum(-1, keepdim=True)
        message = torch.ones_like(message)
        for t in reversed(chain):
            after[:, t] = message
            message = (message * of_state[:, t]) @ self.transition.T
            message = message / message.sum(-1, keepdim=True)
        return before * after

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Compute the lowest mean loss, in nats per selected token, that any model can have."""
        return negative_log_likelihood(self.posterior(masked), masked)

    def kinds(self, targets: Tensor) -> Tensor:
        """Return which of KINDS each place is, (B, T), by its place or by its word."""
        verbs = torch.tensor([word.startswith("verb") for word in self.words])
        kinds = torch.where(verbs[targets], KINDS.index("verb"), KINDS.index("other"))
        kinds[:, list(self.beat_places)] = KINDS.index("beat")
        kinds[:, self.echoed] = KINDS.index("echo")
        return kinds
