"""What docs/grading.md says was tried is what the tests try."""

from tests.common import ROOT
from tests.course.grading import borrowed, habits
from tests.course.grading.hostile import checked, escapes, files, forged, limits
from tests.course.pages import payloads


def test_the_docs_count_what_is_tried() -> None:
    forge = len(checked.ROWS) + len(forged.ROWS)
    parts = [len(escapes.ROWS), len(limits.ROWS), forge, len(files.ROWS)]
    ways = len(borrowed.WAYS) + len(borrowed.OWN) + len(borrowed.HANDED_ON)
    honest = len(habits.CELLS) + len(habits.BEFORE_IT) + len(habits.BEHIND_IT)
    told = " ".join((ROOT / "docs/grading.md").read_text("utf-8").split())
    for sentence in (
        f"**What was tried**: {sum(parts)} broken or hostile notebooks",
        f"({parts[0]} look for a way out, {parts[1]} take more than they may, "
        f"{parts[2]} forge an answer or a mark, {parts[3]} are broken files)",
        f"{ways} ways to borrow the right answer",
        f"and {len(payloads.PAYLOADS)} scripts for the pages",
        f"Of {honest} honest habits none costs a point.",
    ):
        assert sentence in told
