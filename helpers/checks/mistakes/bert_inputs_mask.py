"""Unit 07: what people write instead of BERT's masking."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.bert_inputs_targets import TARGETS
from helpers.wordpiece import CLS, MASK, SEP


def mask_with_one_chance_for_all(tokens, vocab_size, generator, share=0.15):
    chance = torch.rand(tokens.shape, generator=generator)
    chosen = (chance < share) & (tokens >= 5)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (chance < 0.8), MASK, tokens)
    seen = torch.where(chosen & (chance >= 0.8) & (chance < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_always(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    return torch.where(chosen, MASK, tokens), torch.where(chosen, tokens, -100)


def mask_without_keeping(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(action < 0.8, MASK, words)
    return torch.where(chosen, seen, tokens), torch.where(chosen, tokens, -100)


def mask_81_10_9(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    random = torch.rand(tokens.shape, generator=generator) < 0.1
    masked = torch.rand(tokens.shape, generator=generator) < 0.9
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & random, words, tokens)
    seen = torch.where(chosen & ~random & masked, MASK, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_80_2_18(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    masked = torch.rand(tokens.shape, generator=generator) < 0.8
    random = torch.rand(tokens.shape, generator=generator) < 0.1
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & masked, MASK, tokens)
    seen = torch.where(chosen & ~masked & random, words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_special_tokens_too(tokens, vocab_size, generator, share=0.15):
    chosen = torch.rand(tokens.shape, generator=generator) < share
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_padding_too(tokens, vocab_size, generator, share=0.15):
    chosen = torch.rand(tokens.shape, generator=generator) < share
    chosen &= (tokens != CLS) & (tokens != SEP)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_the_same_places_in_each_row(tokens, vocab_size, generator, share=0.15):
    chosen = torch.rand(tokens.shape[1], generator=generator) < share
    chosen = chosen & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_a_share_of_all_places(tokens, vocab_size, generator, share=0.15):
    number = round(share * tokens.shape[1])
    chance = torch.rand(tokens.shape, generator=generator) + (tokens >= 5)
    top = chance.topk(number, dim=1)
    chosen = torch.zeros(tokens.shape, dtype=torch.bool)
    chosen = chosen.scatter(1, top.indices, top.values >= 1)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_always_15_percent(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < 0.15) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_with_any_piece(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_never_with_the_last_piece(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size - 1, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_with_ids_beyond_the_end(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = 5 + torch.randint(vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def mask_with_one_word_for_all(tokens, vocab_size, generator, share=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < share) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    word = torch.randint(5, vocab_size, (1,), generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), word, seen)
    return seen, torch.where(chosen, tokens, -100)


_RATE, _NEVER, _ACTIONS, _WORDS = (
    "the share that is chosen",
    "no special token, no padding",
    "80 % [MASK], 10 % random, 10 % kept",
    "random words are words",
)
MASK_WORDS = (
    Mistake(
        mask_with_one_chance_for_all,
        "One random number decides both whether a token is chosen and what becomes of it. Chosen "
        "are the small numbers, so few or none beyond 0.8 are left. Draw a second time.",
        (_ACTIONS, _WORDS),
    ),
    Mistake(
        mask_always,
        "Every chosen token becomes [MASK]. In two of ten cases something else should stand there.",
        (_ACTIONS, _WORDS),
    ),
    Mistake(
        mask_without_keeping,
        "What is not masked is always random: no chosen token stays. It is 80, 10 and 10.",
        (_ACTIONS,),
    ),
    Mistake(
        mask_81_10_9,
        "Your shares are 81, 10 and 9 %: you mask nine tenths of what is left after the random "
        "ones. Let one number between 0 and 1 decide among all three.",
        (_ACTIONS,),
    ),
    Mistake(
        mask_80_2_18,
        "Your shares are 80, 2 and 18 %: a tenth of what is not masked is only 2 % of the chosen. "
        "Which share of the rest is it, if 10 % of all are to be random?",
        (_ACTIONS,),
    ),
    Mistake(
        mask_special_tokens_too,
        "Special tokens and padding are chosen like words. The ids below 5 are no words.",
        (_NEVER,),
    ),
    Mistake(
        mask_padding_too,
        "[CLS] and [SEP] are left alone, but [PAD] or [UNK] is not. All ids below 5 are special.",
        (_NEVER,),
    ),
    Mistake(
        mask_the_same_places_in_each_row,
        "All rows are masked at the same places. Draw a number for each token, (B, T), not for "
        "each place.",
        (_RATE,),
    ),
    Mistake(
        mask_a_share_of_all_places,
        "You choose a share of all T places, padding counted, so short texts are masked more than "
        "long ones. Each word is chosen with probability `share`.",
        (_RATE,),
    ),
    Mistake(
        mask_always_15_percent,
        "The argument share changes nothing: 0.15 is still written out somewhere.",
        (_RATE,),
    ),
    Mistake(
        mask_with_any_piece,
        "Some of your random words are special tokens. Words begin with id 5.",
        (_WORDS,),
    ),
    Mistake(
        mask_never_with_the_last_piece,
        "The last word of the vocabulary is never drawn. torch.randint leaves out its upper end, "
        "so vocab_size itself is the right one.",
        (_WORDS,),
    ),
    Mistake(
        mask_with_ids_beyond_the_end,
        "Some of your random ids are vocab_size or more: there is no such word. Shift the range "
        "and its end.",
        (_WORDS,),
    ),
    Mistake(
        mask_with_one_word_for_all,
        "You draw one random word and use it everywhere. Each place needs its own.",
        (_WORDS,),
    ),
    *TARGETS,
)
