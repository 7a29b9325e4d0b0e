"""Unit 07, “15 %, and 80/10/10”: what people draw, and do, in other proportions."""

from __future__ import annotations

import torch

from helpers.checks.bert_inputs.mask import mask, mask_some
from helpers.checks.engine import changed
from helpers.corpora.wordpiece import CLS, MASK, SEP


@mask.mistake(
    "One random number decides both whether a token is chosen and what becomes of it. The numbers "
    "of the chosen tokens are small, so few or none of them are above 0.8. Draw a second number.",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
def mask_with_one_number_for_all(tokens, vocab_size, generator, probability=0.15):
    number = torch.rand(tokens.shape, generator=generator)
    chosen = (number < probability) & (tokens >= 5)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (number < 0.8), MASK, tokens)
    seen = torch.where(chosen & (number >= 0.8) & (number < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "The numbers that choose the words are used again, in another order, to decide what becomes "
    "of them. Draw new numbers for that.",
    loses="80 % [MASK], 10 % random, 10 % kept",
    breaks="independently of all others and of the choice",
)
def mask_with_the_same_numbers_mirrored(tokens, vocab_size, generator, probability=0.15):
    number = torch.rand(tokens.shape, generator=generator)
    chosen, action = (number < probability) & (tokens >= 5), number.flip(1)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Your random numbers come in steps of one per cent. The probability may be any number from 0 "
    "to 1: compare it with torch.rand.",
    loses="the fraction that is chosen",
    breaks="each word is chosen with the `probability` given",
)
@changed(
    mask_some,
    "torch.rand(tokens.shape, generator=generator) < probability",
    "torch.randint(100, tokens.shape, generator=generator) < 100 * probability",
)
def mask_by_per_cent(): ...


@mask.mistake(
    "Every chosen token becomes [MASK]. In two cases out of ten something else should happen.",
    loses=("80 % [MASK], 10 % random, 10 % kept", "random words are words"),
)
def mask_always(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    return torch.where(chosen, MASK, tokens), torch.where(chosen, tokens, -100)


@mask.mistake(
    "Every chosen token that is not masked becomes a random word, and none stays. The rule is 80, "
    "10 and 10 %.",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
@changed(mask_some, " & (action < 0.9)", "")
def mask_without_keeping(): ...


@mask.mistake(
    "Your proportions are 81, 10 and 9 %: you mask nine tenths of what is left after the random "
    "ones. Let one number between 0 and 1 decide among all three.",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
def mask_81_10_9(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    random = torch.rand(tokens.shape, generator=generator) < 0.1
    masked = torch.rand(tokens.shape, generator=generator) < 0.9
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & random, words, tokens)
    seen = torch.where(chosen & ~random & masked, MASK, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Your proportions are 80, 2 and 18 %: a tenth of what is not masked is only 2 % of the chosen. "
    "Which fraction of the rest is it, if 10 % of all are to be random?",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
def mask_80_2_18(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    masked = torch.rand(tokens.shape, generator=generator) < 0.8
    random = torch.rand(tokens.shape, generator=generator) < 0.1
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & masked, MASK, tokens)
    seen = torch.where(chosen & ~masked & random, words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Special tokens and padding are chosen like words. The ids below 5 are not words.",
    loses="no special token, no padding",
)
@changed(mask_some, " & (tokens >= 5)", "")
def mask_special_tokens_too(): ...


@mask.mistake(
    "[CLS] and [SEP] are left alone, but [PAD] or [UNK] is not. All ids below 5 are special.",
    loses="no special token, no padding",
)
def mask_padding_too(tokens, vocab_size, generator, probability=0.15):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    chosen &= (tokens != CLS) & (tokens != SEP)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "All rows are masked at the same positions. Draw a number for each token, (B, T), not for "
    "each position.",
    loses="the fraction that is chosen",
)
@changed(
    mask_some,
    "tokens.shape, generator=generator) < probability",
    "tokens.shape[1], generator=generator) < probability",
)
def mask_the_same_places_in_each_row(): ...


@mask.mistake(
    "You choose a fraction of all T positions, padding included, so short texts are masked more "
    "than long ones. Choose each word by itself, with the probability given.",
    loses="the fraction that is chosen",
)
def mask_a_fraction_of_all_places(tokens, vocab_size, generator, probability=0.15):
    number = round(probability * tokens.shape[1])
    drawn = torch.rand(tokens.shape, generator=generator) + (tokens >= 5)
    top = drawn.topk(number, dim=1)
    chosen = torch.zeros(tokens.shape, dtype=torch.bool)
    chosen = chosen.scatter(1, top.indices, top.values >= 1)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "The argument probability changes nothing: 0.15 is still written somewhere in your function.",
    loses=("targets, and what stays", "the fraction that is chosen"),
)
@changed(mask_some, "< probability", "< 0.15")
def mask_always_15_percent(): ...


@mask.mistake(
    "Every row has the same number of chosen words, so the choice of one depends on the others. "
    "Draw for each word by itself.",
    loses="the fraction that is chosen",
    breaks="independently of all others",
)
def mask_as_many_in_every_row(tokens, vocab_size, generator, probability=0.15):
    words, order = tokens >= 5, torch.rand(tokens.shape, generator=generator)
    rank = order.masked_fill(~words, 2).argsort(1).argsort(1)
    chosen = words & (rank < (probability * words.sum(1, keepdim=True)).round())
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Every batch has the same number of chosen words, so the choice of one depends on the others. "
    "Draw for each word by itself.",
    loses="the fraction that is chosen",
    breaks="independently of all others",
)
def mask_as_many_in_every_batch(tokens, vocab_size, generator, probability=0.15):
    places = (tokens >= 5).flatten().nonzero()[:, 0]
    order = torch.randperm(len(places), generator=generator)
    chosen = torch.zeros(tokens.numel(), dtype=torch.bool)
    chosen[places[order[: round(probability * len(places))]]] = True
    chosen = chosen.view(tokens.shape)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "In every call exactly 80 % of the chosen words are masked, and exactly 10 % replaced. Let "
    "a number that is drawn anew from the generator decide for each chosen word by itself.",
    loses="80 % [MASK], 10 % random, 10 % kept",
    breaks="is drawn for each word by itself",
)
def mask_just_eighty_percent(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    places = chosen.flatten().nonzero()[:, 0]
    places = places[torch.randperm(len(places), generator=generator)]
    seen, masked, half = (
        tokens.flatten().clone(),
        round(0.8 * len(places)),
        round(0.9 * len(places)),
    )
    seen[places[:masked]] = MASK
    words = torch.randint(5, vocab_size, (half - masked,), generator=generator)
    seen[places[masked:half]] = words
    return seen.view(tokens.shape), torch.where(chosen, tokens, -100)


@mask.mistake(
    "One random number decides for a whole row. Each chosen word needs its own.",
    loses="80 % [MASK], 10 % random, 10 % kept",
    breaks="is drawn for each word by itself",
)
@changed(
    mask_some,
    "action = torch.rand(tokens.shape, generator",
    "action = torch.rand((len(tokens), 1), generator",
)
def mask_one_action_for_each_row(): ...


@mask.mistake(
    "Your proportions are 75, 15 and 10 %, close to 80, 10 and 10 %, but not the same.",
    loses="80 % [MASK], 10 % random, 10 % kept",
    breaks="80 % become `MASK`",
)
def mask_75_15_10(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.75), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.75) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Your random numbers have so few bits that they come in coarse steps, of 1/256 in bfloat16. "
    "Draw in torch.rand's own dtype.",
    loses=("the fraction that is chosen", "80 % [MASK], 10 % random, 10 % kept"),
    breaks="each word is chosen with the `probability` given",
)
def mask_in_sixteen_bits(tokens, vocab_size, generator, probability=0.15):
    shape, few = tokens.shape, torch.bfloat16
    chosen = torch.rand(shape, generator=generator, dtype=few) < probability
    chosen &= tokens >= 5
    action = torch.rand(shape, generator=generator, dtype=few)
    words = torch.randint(5, vocab_size, shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Where no word at all has been drawn, you choose one. Each word is chosen independently, so "
    "now and then none is; with a probability of 0, none ever is.",
    loses=("targets, and what stays", "the fraction that is chosen"),
    breaks="independently of all others",
)
@changed(
    mask_some,
    "    action =",
    "    if not chosen.any():\n"
    "        for b, t in (tokens >= 5).nonzero()[:1].tolist():\n"
    "            chosen[b, t] = True\n"
    "    action =",
)
def mask_at_least_one(): ...
