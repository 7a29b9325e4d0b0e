"""Unit 09, “The verdict on a claim”: what people write instead."""

from __future__ import annotations

import statistics

from helpers.checks.claim_lab.verdict import NUMBERS, VERDICT, verdict_by_parts
from helpers.checks.claim_lab.verdict import verdict as exercise
from helpers.checks.engine import changed
from helpers.claims import settle


@exercise.mistake(
    "Your verdict looks at the first part only. The other parts belong to the claim as well.",
    loses=VERDICT,
)
@changed(
    verdict_by_parts, "part.high) for part in claim.parts", "part.high) for part in claim.parts[:1]"
)
def verdict_on_the_first_part(): ...


@exercise.mistake(
    "Your verdict looks at the last part only: each turn of the loop overwrites the one before.",
    loses=VERDICT,
)
@changed(
    verdict_by_parts,
    "part.high) for part in claim.parts",
    "part.high) for part in claim.parts[-1:]",
)
def verdict_on_the_last_part(): ...


@exercise.mistake(
    "You say “holds” as soon as one part holds. If another part does not, the claim holds in part.",
    loses=VERDICT,
    breaks='`"holds"` if all parts hold',
)
@changed(
    verdict_by_parts,
    'found.pop() if len(found) == 1 else "holds in part"',
    '"holds" if "holds" in found else "does not hold"',
)
def verdict_if_any_part_holds(): ...


@exercise.mistake(
    "You say “does not hold” as soon as one part fails. If another holds, the claim holds in part.",
    loses=VERDICT,
)
@changed(
    verdict_by_parts,
    'found.pop() if len(found) == 1 else "holds in part"',
    '"holds" if found == {"holds"} else "does not hold"',
)
def verdict_only_if_all_parts_hold(): ...


@exercise.mistake(
    "You ignore the open parts. Their result could still change the verdict, so the claim is not "
    "settled.",
    loses=VERDICT,
    breaks="if one part or more is not settled",
)
def verdict_without_the_open_parts(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    found = found - {"not settled here"} or {"not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@exercise.mistake(
    "You say “holds in part” wherever the parts differ. If one of them is open, so is the claim: "
    "look for open parts first.",
    loses=VERDICT,
)
@changed(verdict_by_parts, 'if "not settled here" in found', 'if found == {"not settled here"}')
def verdict_with_open_as_in_part(): ...


@exercise.mistake(
    "You look at the means alone. Pass all values of a number to `decide`, which takes into "
    "account how far apart they are.",
    loses=VERDICT,
)
def verdict_by_the_means(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = [p.low <= statistics.fmean(numbers[p.number]) <= p.high for p in claim.parts]
    verdict = "holds" if all(found) else "holds in part" if any(found) else "does not hold"
    return {"numbers": numbers, "verdict": verdict}


@exercise.mistake(
    "Your verdict is the same whatever was measured. Let it follow from the parts.",
    loses=VERDICT,
    breaks='`"verdict"` follows from these numbers',
)
def verdict_by_heart(claim, seeds):
    numbers = {}
    if claim.measurement is not None:
        rows = claim.measure(seeds)
        numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    return {"numbers": numbers, "verdict": "does not hold"}


@exercise.mistake("You measure with other seeds than those that you were given.", loses=NUMBERS)
@changed(verdict_by_parts, "claim.measure(seeds)", "claim.measure(range(len(seeds)))")
def verdict_with_the_usual_seeds(): ...


@exercise.mistake(
    "You take the columns of the table in their order. Each part names its number: read that "
    "column.",
    loses=NUMBERS,
)
def verdict_by_the_order_of_the_columns(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    columns = claim.measure(seeds).drop(columns="seed").to_dict("list").values()
    numbers = {part.number: values for part, values in zip(claim.parts, columns, strict=False)}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@exercise.mistake(
    "You ignore the upper end of a part's interval, high.",
    loses=VERDICT,
)
@changed(verdict_by_parts, "part.low, part.high", "part.low")
def verdict_without_the_upper_end(): ...


@exercise.mistake(
    "You return one mean for each number. Return what each seed gave: without the individual "
    "values nobody can check your verdict.",
    loses=NUMBERS,
    breaks='{"numbers": {name: a value for each seed}',
)
def verdict_with_means_for_numbers(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].mean() for part in claim.parts}
    found = {settle(rows[part.number].tolist(), part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@exercise.mistake(
    "Some claims can only be read: their measurement is None. There the verdict is claim.read."
)
def verdict_of_measured_claims_only(claim, seeds):
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@exercise.mistake(
    "A claim without a measurement need not be open: somebody has read the source and put the "
    "verdict into claim.read.",
    loses=VERDICT,
    breaks="and the verdict `claim.read`",
)
@changed(verdict_by_parts, '"verdict": claim.read', '"verdict": "not settled here"')
def verdict_open_where_nothing_is_measured(): ...


@exercise.mistake(
    "You measure the full form of the claim, with larger models and longer training. Leave it at "
    "the quick one.",
    loses=NUMBERS,
    breaks="with no other argument",
)
@changed(verdict_by_parts, "claim.measure(seeds)", "claim.measure(seeds, full=True)")
def verdict_in_the_full_form(): ...


@exercise.mistake(
    "Your values are not in the order of the seeds that you were given. Are the seeds sorted "
    "somewhere, or the rows of the table?",
    loses=NUMBERS,
    breaks="in the order of the seeds",
)
@changed(verdict_by_parts, "claim.measure(seeds)", "claim.measure(sorted(seeds))")
def verdict_with_sorted_seeds(): ...


@exercise.mistake(
    "You return claim.read for a claim that can be measured. Look at claim.measurement: it is "
    "None only where nothing is measured.",
    breaks="`claim.read` means nothing",
)
@changed(verdict_by_parts, "claim.measurement is None", 'claim.read != "not settled here"')
def verdict_as_it_was_read(): ...


@exercise.mistake(
    'For a claim that was only read, "numbers" should be an empty dict, {}.',
    loses=NUMBERS,
    breaks="has no numbers, `{}`",
)
@changed(verdict_by_parts, '"numbers": {}', '"numbers": None')
def verdict_with_none_for_numbers(): ...


@exercise.mistake(
    "You keep one interval or one verdict for each number, in a dict. Two parts may look at the "
    "same number, each with an interval of its own; the later one then overwrites the other.",
    loses=VERDICT,
    breaks="Two parts may look at the same number",
)
def verdict_by_number(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    by_number = {p.number: settle(numbers[p.number], p.low, p.high) for p in claim.parts}
    found = set(by_number.values())
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


@exercise.mistake(
    "Some of your verdicts are hard-coded by the number of the claim. Let each follow from what is "
    "measured.",
    loses=VERDICT,
    breaks="One function judges all claims",
)
@changed(
    verdict_by_parts,
    "    found = ",
    '    known = {10: "holds in part", 12: "does not hold"}\n'
    "    if claim.number in known:\n"
    '        return {"numbers": numbers, "verdict": known[claim.number]}\n'
    "    found = ",
)
def verdict_known_by_heart(): ...


@exercise.mistake(
    "A value that several seeds share stands in your list only once. Return one value for each "
    "seed, even where some are equal.",
    loses=NUMBERS,
    breaks="the lists of what was measured",
)
@changed(
    verdict_by_parts,
    "rows[part.number].tolist()",
    "list(dict.fromkeys(rows[part.number].tolist()))",
)
def verdict_of_different_values(): ...


@exercise.mistake(
    "A lower end of 0 is an end like any other. 0 counts as False: `low or …` skips it.",
    loses=VERDICT,
    breaks='`"verdict"` follows from these numbers',
)
@changed(verdict_by_parts, "part.low, part.high", "part.low or -math.inf, part.high")
def verdict_without_a_lower_end_at_zero(): ...
