"""What a cell shows, as one text, and the limits of the tests of this folder."""

from helpers.course.sandbox.process import Limits
from helpers.course.sandbox.session import Session

LIMITS = Limits(cell_seconds=3, notebook_seconds=60, memory=1 << 30, output=20_000)


def text_of(session: Session, code: str, seconds: float = 10) -> str:
    """All that is shown by `code`, the kind and the text of an error among it."""
    return "".join(
        output.get("text")
        or output.get("data", {}).get("text/plain", "")
        or f"{output.get('ename', '')}: {output.get('evalue', '')}"
        for output in session.run(code, seconds)
    )
