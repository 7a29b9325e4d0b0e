"""Unit 09: what people write instead of the verdict on a claim."""

from __future__ import annotations

import statistics

from helpers.checks.exercise import Mistake
from helpers.claims import settle


def verdict_on_the_first_part(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    first = claim.parts[0]
    return {"numbers": numbers, "verdict": settle(numbers[first.number], first.low, first.high)}


def verdict_on_the_last_part(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows, numbers = claim.measure(seeds), {}
    for part in claim.parts:
        numbers[part.number] = rows[part.number].tolist()
        verdict = settle(numbers[part.number], part.low, part.high)
    return {"numbers": numbers, "verdict": verdict}


def verdict_if_any_part_holds(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = [settle(numbers[part.number], part.low, part.high) for part in claim.parts]
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": "holds" if "holds" in found else "does not hold"}


def verdict_only_if_all_parts_hold(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = [settle(numbers[part.number], part.low, part.high) for part in claim.parts]
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": "does not hold" if "does not hold" in found else "holds"}


def verdict_without_the_open_parts(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    found = found - {"not settled here"} or {"not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_with_open_as_in_part(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_by_the_means(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = [p.low <= statistics.fmean(numbers[p.number]) <= p.high for p in claim.parts]
    verdict = "holds" if all(found) else "holds in part" if any(found) else "does not hold"
    return {"numbers": numbers, "verdict": verdict}


def verdict_by_heart(claim, seeds):
    numbers = {}
    if claim.measurement is not None:
        rows = claim.measure(seeds)
        numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    return {"numbers": numbers, "verdict": "does not hold"}


def verdict_with_the_usual_seeds(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(range(len(seeds)))
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_by_the_order_of_the_columns(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    columns = claim.measure(seeds).drop(columns="seed").to_dict("list").values()
    numbers = {part.number: values for part, values in zip(claim.parts, columns, strict=False)}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_without_the_upper_end(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_with_means_for_numbers(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].mean() for part in claim.parts}
    found = {settle(rows[part.number].tolist(), part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_of_measured_claims_only(claim, seeds):
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


def verdict_open_where_nothing_is_measured(claim, seeds):
    if claim.measurement is None:
        return {"numbers": {}, "verdict": "not settled here"}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return {"numbers": numbers, "verdict": "not settled here"}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}


_NUMBERS, _VERDICT = "the numbers, as measured", "the verdict, whatever was measured"
VERDICT = (
    Mistake(
        verdict_on_the_first_part,
        "Your verdict is that on the first part. The others are part of the claim as well.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_on_the_last_part,
        "Your verdict is that on the last part: each turn of the loop forgets the one before.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_if_any_part_holds,
        "You call a claim true as soon as one part holds. Where another part does not, there is a "
        "verdict of its own.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_only_if_all_parts_hold,
        "You call a claim false as soon as one part fails. Where another part holds, there is a "
        "verdict of its own.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_without_the_open_parts,
        "You pass over the open parts. What they come to might change the verdict, so it has to "
        "wait for them.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_with_open_as_in_part,
        "You say “holds in part” wherever the parts differ. An open part does not say no: look "
        "for it first.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_by_the_means,
        "You look at the means alone. Give all values of a number to decide, which sees how far "
        "they are apart.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_by_heart,
        "Your verdict is the same whatever was measured. Let it follow from the parts.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_with_the_usual_seeds,
        "You measure with other seeds than those that you were given.",
        (_NUMBERS, _VERDICT),
    ),
    Mistake(
        verdict_by_the_order_of_the_columns,
        "You take the columns of the table in their order. A part says by name which number it "
        "is about.",
        (_NUMBERS, _VERDICT),
    ),
    Mistake(
        verdict_without_the_upper_end,
        "You leave out where a part's interval ends at the top: high.",
        (_VERDICT,),
    ),
    Mistake(
        verdict_with_means_for_numbers,
        "You return one mean for each number. Return what each seed gave: without the single "
        "values nobody can check your verdict.",
        (_NUMBERS,),
    ),
    Mistake(
        verdict_of_measured_claims_only,
        "Some claims can only be read: their measurement is None. There the verdict is claim.read.",
        (_NUMBERS, _VERDICT),
    ),
    Mistake(
        verdict_open_where_nothing_is_measured,
        "A claim without a measurement need not be open: somebody has read the source and put the "
        "verdict into claim.read.",
        (_VERDICT,),
    ),
)
