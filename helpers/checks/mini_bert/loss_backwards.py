"""Unit 08, “Scored where chosen”: wrong dtypes, shapes and gradients of right numbers."""

from __future__ import annotations

from helpers.checks.mini_bert.loss import loss


@loss.mistake(
    "This is the right number, but its shape is (1,) or (1, 1). A loss has the shape ().",
)
def loss_in_a_list_of_one(logits, targets):
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean(0)


@loss.mistake(
    "As soon as one logit is large, no gradient comes back. log_softmax has a gradient for logits "
    "of any size; use it for all of them.",
    loses="dtype and gradients",
)
def loss_without_gradient_where_logits_are_large(logits, targets):
    if logits.abs().max() > 100:
        logits = logits.detach()
    chosen = targets != -100
    logs = logits.log_softmax(-1)[chosen]
    return -logs.gather(-1, targets[chosen][:, None]).mean()


@loss.mistake(
    "You treat positions as chosen where the loss is not 0. Where a model is sure of the right "
    "word the loss is 0 as well, and still counts: go by −100.",
    loses="logits of any size",
    breaks="Logits may be in the hundreds",
)
def loss_of_what_is_not_0(logits, targets):
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    surprise = surprise * (targets != -100)
    return surprise.sum() / (surprise != 0).sum()
