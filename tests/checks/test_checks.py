"""The check itself: honest answers only, plain words, and a score that nbgrader reads right."""

import logging
import math
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from nbgrader.utils import get_partial_grade
from tokenizers.models import WordPiece
from torch import Tensor

from helpers import checks, encodings
from helpers.book import d2l
from helpers.checks import bert_inputs, order_blind
from helpers.checks import sinusoidal as check
from helpers.checks.engine import Exercise, compare
from helpers.checks.engine.report import Finding, Report
from helpers.encodings import Sinusoidal
from helpers.encodings import sinusoidal_table as renamed
from tests.checks.variants.sinusoidal import table_in_numpy

EXERCISES = [e for u in ("00-start-here", "02-sinusoidal") for e in checks.exercises(u).values()]


def _aliased(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
    return renamed(num_positions, d_model, base)


def _from_sys_modules(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
    module = sys.modules["helpers.encodings.sinusoidal"]
    return getattr(module, "sinusoidal" + "_table")(num_positions, d_model, base)


def _through_the_module(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
    return Sinusoidal(d_model, max_len=num_positions, base=base).table


def _from_the_book(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
    return d2l.PositionalEncoding(d_model, dropout=0).P[0, :num_positions]


@pytest.mark.parametrize(
    ("answer", "called"),
    [
        (_aliased, "helpers.encodings.sinusoidal.sinusoidal_table"),
        (_from_sys_modules, "helpers.encodings.sinusoidal.sinusoidal_table"),
        (_through_the_module, "helpers.encodings.sinusoidal.Sinusoidal"),
        (_from_the_book, "d2l: PositionalEncoding"),
    ],
)
def test_an_answer_that_only_calls_a_library_earns_nothing(answer: Any, called: str) -> None:
    report = check.table(answer)
    assert report.earned == 0
    assert not check.table.is_correct(answer)
    # What was called is named, and nothing below it.
    message = report.findings[0].message
    assert message.startswith(f"This calls {called}, which is not allowed here")


def test_a_subclass_of_the_librarys_module_earns_nothing() -> None:
    assert check.module(type("Own", (Sinusoidal,), {})).earned == 0


def _compiled_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def _compiled_pieces(word: str, vocabulary: dict[str, int]) -> list[str]:
    model = WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=1000)
    return [token.value for token in model.tokenize(word)]


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [(order_blind.attention, _compiled_attention), (bert_inputs.pieces, _compiled_pieces)],
)
def test_compiled_libraries_are_noticed_too(exercise: Exercise, answer: Any) -> None:
    report = exercise(answer)
    assert report.earned == 0
    assert all("which is not allowed here" in each.message for each in report.findings)


def test_a_checkout_may_stand_in_a_folder_of_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are told apart by module, not by a path that may hold the word transformers."""

    def table(num_positions: int, d_model: int, base: float = 10_000.0) -> Any:
        return table_in_numpy(num_positions, d_model, base)

    elsewhere = table.__code__.replace(co_filename="/home/transformers/d2l/course/answer.py")
    table.__code__ = elsewhere
    assert check.table(table).complete


def test_the_books_other_functions_may_be_used() -> None:
    def similarity(table: Tensor) -> Tensor:
        products = table @ table.T
        means = torch.stack([d2l.reduce_mean(products.diagonal(k)) for k in range(len(table))])
        return means / means[0]

    assert check.similarity(similarity).complete


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_exercise_pays_for_the_librarys_own_version(exercise: Exercise) -> None:
    report = exercise(exercise.reference)
    assert report.earned == 0
    assert all("which is not allowed here" in finding.message for finding in report.findings)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_another_seed_asks_other_questions(exercise: Exercise) -> None:
    def labels(seed: int) -> list[str]:
        return [case.label for cases in exercise.drawn(seed).values() for case in cases]

    assert labels(1) == labels(1)
    assert len({str(labels(seed)) for seed in range(5)}) > 1 or exercise.name == "similarity"


def test_a_threads_call_counts_too() -> None:
    def threaded(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(renamed, num_positions, d_model, base).result()

    assert check.table(threaded).earned == 0


@pytest.mark.parametrize(
    "view",
    [
        lambda table: np.broadcast_to(table, table.shape),
        lambda table: np.ascontiguousarray(table[:, ::-1])[:, ::-1],
        lambda table: table.astype(">f8"),
        lambda table: table.astype(np.longdouble),
        lambda table: torch.tensor(table).to_sparse(),
        lambda table: torch.nn.Parameter(torch.tensor(table)),
    ],
)
def test_a_right_result_counts_in_every_form(view: Any, recwarn: pytest.WarningsRecorder) -> None:
    assert check.table(lambda n, d, base=10_000.0: view(table_in_numpy(n, d, base))).complete
    assert not recwarn.list


def test_a_wavelength_that_is_nearly_right_is_wrong() -> None:
    right = encodings.wavelengths(8)
    assert compare.same(right.float(), right, check.wavelengths.tolerance)
    assert not compare.same(right + 0.01, right, check.wavelengths.tolerance)


def test_the_profiler_of_a_debugger_is_put_back() -> None:
    def profiler(*_event: Any) -> None:
        return None

    sys.setprofile(profiler)
    try:
        check.table(_aliased)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)


def test_use_goes_on_with_the_course_where_the_answer_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    right, wrong = check.table.right_answers[0].answer, check.table.mistakes[0].answer
    assert check.table.use(right) is right
    assert check.table.use(wrong) is encodings.sinusoidal_table
    assert "goes on with the course's version" in capsys.readouterr().out


def test_an_answer_may_print_log_and_warn(capfd: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("learner")
    logger.addHandler(logging.StreamHandler(sys.stderr))

    def chatty(num_positions: int, d_model: int, base: float = 10_000.0) -> Any:
        warnings.warn("deprecated", stacklevel=1)
        logger.error("step")
        print("to stdout")
        print("to stderr", file=sys.stderr)
        return compare.as_tensor(table_in_numpy(num_positions, d_model, base))

    assert check.table(chatty).complete
    assert capfd.readouterr() == ("", "")
    assert logger.isEnabledFor(logging.ERROR)


@pytest.mark.parametrize(
    ("switch", "name"),
    [
        (lambda: torch.set_default_dtype(torch.float64), "torch.set_default_dtype"),
        (lambda: torch.set_grad_enabled(False), "torch.set_grad_enabled"),
        (lambda: torch.set_default_device("meta"), "torch.set_default_device"),
    ],
)
def test_what_an_answer_switches_for_all_is_named_and_put_back(switch: Any, name: str) -> None:
    right = check.table.right_answers[0].answer

    def switching(num_positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
        switch()
        return right(num_positions, d_model, base)

    message = check.table(switching).findings[0].message
    assert f"changes a setting ({name})" in message
    assert (torch.get_default_dtype(), torch.is_grad_enabled()) == (torch.float32, True)
    assert torch.get_default_device().type == "cpu"


def test_a_check_leaves_the_learners_random_numbers_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    check.module(check.module.right_answers[0].answer)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("earned", [0, 0.5, 1, 1.5, 2])
def test_nbgrader_reads_the_points_from_the_report(earned: float) -> None:
    report = Report(
        "any", [Finding("one", 1, min(earned, 1)), Finding("two", 1, max(earned - 1, 0))]
    )
    data = report._repr_mimebundle_()
    assert get_partial_grade({"data": data}, 2.0) == earned
    assert f"{earned:g} of 2 points" in data["text/html"]


@pytest.mark.parametrize(
    ("earned", "expected"),
    [(0.5, 0.5), (-1, 0), (7, 3), (3 + 4e-16, 3), (math.nan, 0), (math.inf, 0)],
)
def test_a_report_never_gives_less_than_nothing_or_more_than_there_is(
    earned: float, expected: float
) -> None:
    assert repr(Report("any", [Finding("part", 3, earned)])) == str(float(expected))
