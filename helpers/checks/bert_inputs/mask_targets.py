"""Unit 07, “15 %, and 80/10/10”: what people draw at random instead, and take for targets."""

from __future__ import annotations

import torch

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
    "so vocab_size itself is the right one.",
    loses="random words are words",
)
@changed(mask_some, "vocab_size, tokens.shape", "vocab_size - 1, tokens.shape")
def mask_never_with_the_last_piece(): ...


@mask.mistake(
    "Some of your random ids are vocab_size or more: there is no such word. Shift the range "
    "and its end.",
    loses=("80 % [MASK], 10 % random, 10 % kept", "random words are words"),
)
@changed(mask_some, "torch.randint(5, ", "5 + torch.randint(")
def mask_with_ids_beyond_the_end(): ...


@mask.mistake(
    "You draw one random word and use it everywhere. Each place needs its own.",
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
    "Your targets hold every token, so the model would be paid for copying what it sees. They "
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
    "Your targets are taken after the masking, so the answer to [MASK] is [MASK]. Keep what "
    "stood there before.",
    loses="targets, and what stays",
    breaks="the original token where one was chosen",
)
@changed(mask_some, "(chosen, tokens, -100)", "(chosen, seen, -100)")
def mask_and_predict_what_is_seen(): ...


@mask.mistake(
    "You score only what has changed. The tokens that were chosen and kept are scored as well; "
    "that is what keeping them is for.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "80 % [MASK], 10 % random, 10 % kept",
    ),
)
@changed(mask_some, "(chosen, tokens, -100)", "(seen != tokens, tokens, -100)")
def mask_and_predict_what_is_changed(): ...


@mask.mistake(
    "You do not use the generator, so nobody can repeat your masks. Give it to every drawing, "
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
    "You draw one random word for each row. Each place needs its own.",
    loses="random words are words",
    breaks="drawn for each place anew",
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
    "A [MASK] that was there before is chosen like a word. Its id is below 5, so it is special.",
    loses="no special token, no padding",
    breaks="ids below 5 are special",
)
@changed(mask_some, "tokens >= 5", "tokens >= MASK")
def mask_masks_again(): ...


@mask.mistake(
    "Your results are floating-point numbers. Ids and targets are whole, torch.long like `tokens`.",
    loses="targets, and what stays",
    breaks="which returns two tensors of the shape of `tokens`",
)
@changed(
    mask_some,
    "return seen, torch.where(chosen, tokens, -100)",
    "return seen.float(), torch.where(chosen, tokens, -100).float()",
)
def mask_in_floats(): ...


@mask.mistake(
    "The generator starts anew in every call of yours, so each batch gets the same masks.",
    loses=(
        "targets, and what stays",
        "the fraction that is chosen",
        "80 % [MASK], 10 % random, 10 % kept",
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
    "−100 in all other places.",
    breaks="(B, T) each",
)
@changed(mask_some, "torch.where(chosen, tokens, -100)", "tokens[chosen]")
def mask_with_targets_in_a_list(): ...


@mask.mistake(
    "A random word of yours is never the one that stood there. Any may be drawn, that one too.",
    loses="80 % [MASK], 10 % random, 10 % kept",
    breaks="each as likely",
)
@changed(
    mask_some,
    "    seen = torch.where(chosen & (action < 0.8), MASK, tokens)",
    "    again = torch.randint(1, vocab_size - 5, tokens.shape, generator=generator)\n"
    "    words = 5 + (tokens - 5 + again) % (vocab_size - 5)\n"
    "    seen = torch.where(chosen & (action < 0.8), MASK, tokens)",
)
def mask_never_with_the_same_word(): ...
