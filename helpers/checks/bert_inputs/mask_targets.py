"""Unit 07, “15 %, and 80/10/10”: what people draw at random instead, and take for targets."""

from __future__ import annotations

import torch
from torch import Generator  # noqa: F401, in a mistake's text

from helpers.checks.bert_inputs.mask import mask, mask_some
from helpers.checks.engine import changed
from helpers.corpora.wordpiece import MASK


@mask.mistake(
    "Some of your random words are special tokens. Words begin with id 5.",
    loses="random words are words",
)
@changed(mask_some, "randint(5, vocab_size", "randint(vocab_size")
def mask_with_any_piece(): ...


@mask.mistake(
    "The last word of the vocabulary is never drawn. torch.randint leaves out its upper end, "
    "so that end is vocab_size itself.",
    loses="random words are words",
)
@changed(mask_some, "vocab_size, tokens.shape", "vocab_size - 1, tokens.shape")
def mask_never_with_the_last_piece(): ...


@mask.mistake(
    "Some of your random ids are vocab_size or more, and there is no such word. If you shift the "
    "range, shift its end as well.",
    loses=("80 % [MASK], 10 % random, 10 % kept", "random words are words"),
)
@changed(mask_some, "torch.randint(5, ", "5 + torch.randint(")
def mask_with_ids_beyond_the_end(): ...


@mask.mistake(
    "In a large vocabulary you draw your random words only from the ids below some limit, such as "
    "the 30,522 of the published BERT. Here vocab_size says how many there are.",
    loses="random words are words",
    breaks="however large `vocab_size` is",
)
@changed(mask_some, "vocab_size, tokens.shape", "min(vocab_size, 30_522), tokens.shape")
def mask_with_words_of_the_published_bert(): ...


@mask.mistake(
    "You compute your random words from float32 numbers between 0 and 1. float32 has 24 bits, so "
    "in a very large vocabulary some words are never drawn. torch.randint draws whole numbers.",
    loses="random words are words",
    breaks="however large `vocab_size` is",
)
@changed(
    mask_some,
    "torch.randint(5, vocab_size, tokens.shape, generator=generator)",
    "5 + (torch.rand(tokens.shape, generator=generator) * (vocab_size - 5)).long()",
)
def mask_with_words_from_a_float(): ...


@mask.mistake(
    "Words with ids of 30,522 and more, beyond the vocabulary of the published BERT, are never "
    "chosen. Only the ids below 5 are special.",
    loses="the fraction that is chosen",
    breaks="each word is chosen",
)
@changed(mask_some, "(tokens >= 5)", "(tokens >= 5) & (tokens < 30_522)")
def mask_words_of_the_published_bert_only(): ...


@mask.mistake(
    "You draw one random word and use it everywhere. Each position needs its own.",
    loses="random words are words",
)
@changed(mask_some, "vocab_size, tokens.shape", "vocab_size, (1,)")
def mask_with_one_word_for_all(): ...


@mask.mistake(
    "You write into the tokens you were given, so the next masking would start from masked "
    "text. Make a new tensor: torch.where, or clone first.",
    loses="targets, and what stays",
    breaks="`tokens` stays as it is",
)
def mask_in_place(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    targets = torch.where(chosen, tokens, -100)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    random = chosen & (action >= 0.8) & (action < 0.9)
    tokens[random] = words[random]
    tokens[chosen & (action < 0.8)] = MASK
    return tokens, targets


@mask.mistake(
    "Your targets hold every token, so the model would be rewarded for copying what it sees. They "
    "are −100 wherever nothing was chosen.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "no special token, no padding",
        "80 % [MASK], 10 % random, 10 % kept",
    ),
)
@changed(mask_some, "torch.where(chosen, tokens, -100)", "tokens.clone()")
def mask_and_predict_everything(): ...


@mask.mistake(
    "Your targets are 0 where nothing was chosen, and 0 is [PAD]: the model would learn to "
    "predict padding. cross_entropy leaves out −100.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "no special token, no padding",
        "80 % [MASK], 10 % random, 10 % kept",
    ),
    breaks="the targets (−100 where nothing was chosen)",
)
@changed(mask_some, "-100)", "0)")
def mask_and_predict_zeros(): ...


@mask.mistake(
    "You take the targets after masking, so the target of a [MASK] is [MASK]. Keep the token that "
    "was there before.",
    loses="targets, and what stays",
    breaks="the original token where one was chosen",
)
@changed(mask_some, "(chosen, tokens, -100)", "(chosen, seen, -100)")
def mask_and_predict_what_is_seen(): ...


@mask.mistake(
    "You score only the tokens that changed. Those that were chosen and stayed are scored as "
    "well; that is why they stay.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "80 % [MASK], 10 % random, 10 % kept",
    ),
)
@changed(mask_some, "(chosen, tokens, -100)", "(seen != tokens, tokens, -100)")
def mask_and_predict_what_is_changed(): ...


@mask.mistake(
    "You score only the positions where [MASK] stands. The words that were replaced by random "
    "ones, and those that stayed, were chosen as well: the model has to predict them too.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "80 % [MASK], 10 % random, 10 % kept",
        "random words are words",
    ),
)
@changed(mask_some, "(chosen, tokens, -100)", "((seen == MASK) & chosen, tokens, -100)")
def mask_and_predict_masked_ones_only(): ...


@mask.mistake(
    "You score the positions where [MASK] stands in what is seen, and so a [MASK] that `tokens` "
    "brings along, but no word that was replaced by a random one, and none that stayed. Score "
    "what was chosen."
)
@changed(mask_some, "(chosen, tokens, -100)", "(seen == MASK, tokens, -100)")
def mask_and_predict_wherever_a_mask_is_seen(): ...


@mask.mistake(
    "You do not use the generator, so your masks cannot be repeated. Pass it to every draw: "
    "generator=generator.",
    loses="targets, and what stays",
)
def mask_by_another_chance(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape) < probability) & (tokens >= 5)
    action = torch.rand(tokens.shape)
    words = torch.randint(5, vocab_size, tokens.shape)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Your random words are the same in every call. Pass `generator` to their draw as well.",
    loses="random words are words",
    breaks="all chance comes from `generator`",
)
@changed(
    mask_some,
    "vocab_size, tokens.shape, generator=generator",
    "vocab_size, tokens.shape, generator=Generator().manual_seed(7)",
)
def mask_with_the_same_words_each_time(): ...


@mask.mistake(
    "You draw one random word for each row. Each position needs its own.",
    loses="random words are words",
    breaks="drawn anew for each position",
)
@changed(mask_some, "vocab_size, tokens.shape", "vocab_size, (len(tokens), 1)")
def mask_with_one_word_for_each_row(): ...


@mask.mistake(
    "You return the targets first. What the model sees comes first.",
    breaks="what the model **sees**",
)
@changed(
    mask_some,
    "return seen, torch.where(chosen, tokens, -100)",
    "return torch.where(chosen, tokens, -100), seen",
)
def mask_with_results_swapped(): ...


@mask.mistake(
    "A [MASK] that is already in `tokens` is chosen like a word. Its id is below 5: it is special.",
    loses="no special token, no padding",
    breaks="ids below 5 are special",
)
@changed(mask_some, "tokens >= 5", "tokens >= MASK")
def mask_masks_again(): ...


@mask.mistake(
    "Each call starts the generator again from its seed, so every batch gets the same masks.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "80 % [MASK], 10 % random, 10 % kept",
        "random words are words",
    ),
    breaks="all chance comes from `generator`",
)
@changed(
    mask_some,
    "chosen = (",
    "generator = Generator().manual_seed(generator.initial_seed())\n    chosen = (",
)
def mask_the_same_each_time(): ...


@mask.mistake(
    "Your targets are a list of the chosen tokens alone. They have the shape of `tokens`, with "
    "−100 at all other positions.",
    breaks="(B, T) each",
)
@changed(mask_some, "torch.where(chosen, tokens, -100)", "tokens[chosen]")
def mask_with_targets_in_a_list(): ...


@mask.mistake(
    "Your random word is never the one that was there. Any word may be drawn, that one included.",
    loses="80 % [MASK], 10 % random, 10 % kept",
    breaks="all equally likely",
)
@changed(
    mask_some,
    "    seen = torch.where(chosen & (action < 0.8), MASK, tokens)",
    "    again = torch.randint(1, vocab_size - 5, tokens.shape, generator=generator)\n"
    "    words = 5 + (tokens - 5 + again) % (vocab_size - 5)\n"
    "    seen = torch.where(chosen & (action < 0.8), MASK, tokens)",
)
def mask_never_with_the_same_word(): ...


@mask.mistake(
    "Your results hold the right numbers but are not PyTorch tensors: a .tolist() or a .numpy() is "
    "too much.",
    loses="targets, and what stays",
    breaks="which returns two tensors of the shape of `tokens`",
)
@changed(
    mask_some,
    "return seen, torch.where(chosen, tokens, -100)",
    "return seen.tolist(), torch.where(chosen, tokens, -100).tolist()",
)
def mask_in_lists(): ...


@mask.mistake(
    "You choose nothing after the padding, as if it always stood at the end. It may stand "
    "anywhere; every id of 5 or more is a word.",
    loses="targets, and what stays",
)
@changed(
    mask_some,
    "(tokens >= 5)",
    "(tokens >= 5) & (torch.arange(tokens.shape[1]) < (tokens != 0).sum(1, keepdim=True))",
)
def mask_up_to_the_padding(): ...
