"""Unit 07: what people write instead of the targets of masking; or by chance that is not theirs."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.wordpiece import MASK


def mask_in_place(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    targets = torch.where(chosen, tokens, -100)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    random = chosen & (action >= 0.8) & (action < 0.9)
    tokens[random] = words[random]
    tokens[chosen & (action < 0.8)] = MASK
    return tokens, targets


def mask_and_predict_everything(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, tokens.clone()


def mask_and_predict_zeros(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, 0)


def mask_and_predict_what_is_seen(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, seen, -100)


def mask_and_predict_what_is_changed(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(seen != tokens, tokens, -100)


def mask_by_another_chance(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape)
    words = torch.randint(5, vocab_size, tokens.shape)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


_EXACT, _RATE, _NEVER, _ACTIONS = (
    "targets, and what stays",
    "the share that is chosen",
    "no special token, no padding",
    "80 % [MASK], 10 % random, 10 % kept",
)
TARGETS = (
    Mistake(
        mask_in_place,
        "You write into the tokens you were given, so the next masking would start from masked "
        "text. Make a new tensor: torch.where, or clone first.",
        (_EXACT,),
    ),
    Mistake(
        mask_and_predict_everything,
        "Your targets hold every token, so the model would be paid for copying what it sees. They "
        "are −100 wherever nothing was chosen.",
        (_EXACT, _RATE, _NEVER, _ACTIONS),
    ),
    Mistake(
        mask_and_predict_zeros,
        "Your targets are 0 where nothing was chosen, and 0 is [PAD]: the model would learn to "
        "predict padding. cross_entropy leaves out −100.",
        (_EXACT, _RATE, _NEVER, _ACTIONS),
    ),
    Mistake(
        mask_and_predict_what_is_seen,
        "Your targets are taken after the masking, so the answer to [MASK] is [MASK]. Keep what "
        "stood there before.",
        (_EXACT,),
    ),
    Mistake(
        mask_and_predict_what_is_changed,
        "You score only what has changed. The tokens that were chosen and kept are scored as well; "
        "that is what keeping them is for.",
        (_RATE, _ACTIONS),
    ),
    Mistake(
        mask_by_another_chance,
        "You do not use the generator, so nobody can repeat your masks. Give it to every drawing, "
        "generator=generator.",
        (_EXACT,),
    ),
)
