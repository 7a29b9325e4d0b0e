"""Unit 06: what people write instead of offsets in a tree."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def offsets_with_the_sign_of_i_minus_j(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            shared = len(set(a) & set(b))
            steps = len(a) + len(b) - 2 * shared
            one_path = shared in (len(a), len(b))
            found[i, j] = len(a) - len(b) if one_path else (steps if i > j else -steps)
    return found


def offsets_without_a_sign(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [set(path(word)) for word in range(len(parents))]
    return torch.tensor([[len(a ^ b) for b in up] for a in up])


def offsets_through_the_root(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(a) + len(b) - 2
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found


def offsets_always_with_the_sign_of_the_line(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [set(path(word)) for word in range(len(parents))]
    steps = torch.tensor([[len(a ^ b) for b in up] for a in up])
    places = torch.arange(len(parents))
    return (places[None, :] - places[:, None]).sign() * steps


def offsets_as_differences_of_depth(parents):
    def depth(word):
        return 0 if parents[word] < 0 else 1 + depth(int(parents[word]))

    found = torch.tensor([depth(word) for word in range(len(parents))])
    return found[None, :] - found[:, None]


def offsets_past_the_common_word(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b)) + 2
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found


def offsets_up_to_the_common_word_only(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) - set(b))
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if j > i else -steps)
    return found


def offsets_across_without_a_sign(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else len(set(a) ^ set(b))
    return found


def offsets_reversed_on_a_path(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            one_path = i in b or j in a
            found[i, j] = len(a) - len(b) if one_path else (steps if j > i else -steps)
    return found


def offsets_reversed_across(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (steps if i > j else -steps)
    return found


def offsets_on_a_path_without_a_sign(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            one_path = i in b or j in a
            found[i, j] = steps if one_path or j > i else -steps
    return found


def offsets_counted_in_words(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            words = len(set(a) ^ set(b)) + 1
            one_path = i in b or j in a
            found[i, j] = len(b) - len(a) if one_path else (words if j > i else -words)
    return found


def offsets_with_parents_only_above(parents):
    def path(word):
        return [word] if parents[word] < 0 else [word, *path(int(parents[word]))]

    up = [path(word) for word in range(len(parents))]
    found = torch.zeros(len(parents), len(parents))
    for i, a in enumerate(up):
        for j, b in enumerate(up):
            steps = len(set(a) ^ set(b))
            near = steps <= 1
            found[i, j] = len(b) - len(a) if near else (steps if j > i else -steps)
    return found


def offsets_in_the_line(parents):
    places = torch.arange(len(parents))
    return places[None, :] - places[:, None]


_PATH, _ACROSS = "one word above the other", "words on different branches"
TREE = (
    Mistake(
        offsets_with_the_sign_of_i_minus_j,
        "All your signs are reversed. Row i is the query, column j the key, and offsets are "
        "counted from i to j.",
        (_PATH, _ACROSS),
    ),
    Mistake(
        offsets_without_a_sign,
        "You give distances. An offset has a sign, or a parent could not be told from a child.",
        (_PATH, _ACROSS),
    ),
    Mistake(
        offsets_through_the_root,
        "Your path across goes through the root. Two words may meet further down: stop at the "
        "lowest word that is above both.",
        (_ACROSS,),
    ),
    Mistake(
        offsets_always_with_the_sign_of_the_line,
        "You take the sign from the order in the line everywhere. Where one word is above the "
        "other, the tree itself says which way is up.",
        (_PATH,),
    ),
    Mistake(
        offsets_as_differences_of_depth,
        "You use the difference of depths for every pair. For two sisters that is 0, as if they "
        "were one word; across branches it takes the steps up and down.",
        (_ACROSS,),
    ),
    Mistake(
        offsets_past_the_common_word,
        "Across branches you take two steps too many. Are depths and the depth of the common word "
        "counted alike?",
        (_ACROSS,),
    ),
    Mistake(
        offsets_up_to_the_common_word_only,
        "You count the steps up and forget those down again.",
        (_ACROSS,),
    ),
    Mistake(
        offsets_across_without_a_sign,
        "Your steps across branches are all positive. They are negative where j stands before i.",
        (_ACROSS,),
    ),
    Mistake(
        offsets_reversed_on_a_path,
        "From a word to its parent it should be −1. Your sign is reversed where one word is above "
        "the other.",
        (_PATH,),
    ),
    Mistake(
        offsets_reversed_across,
        "Across branches your sign is reversed. It is plus where the key j stands behind the "
        "query i.",
        (_ACROSS,),
    ),
    Mistake(
        offsets_on_a_path_without_a_sign,
        "Where one word is above the other, all yours are positive. Up is minus, down is plus.",
        (_PATH,),
    ),
    Mistake(
        offsets_counted_in_words,
        "Across branches you count the words on the path, one more than its steps.",
        (_ACROSS,),
    ),
    Mistake(
        offsets_with_parents_only_above,
        "You treat parent and child as one above the other, but not grandparents. Every ancestor "
        "is above a word.",
        (_PATH,),
    ),
    Mistake(
        offsets_in_the_line,
        "These are offsets in the line, j − i. The tree has no say in them.",
        (_PATH, _ACROSS),
    ),
)
