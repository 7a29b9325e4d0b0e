"""A kernel of its own for a test, what a cell shows as one text, and the limits of these tests."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from helpers.course.sandbox.process import Limits, Sandbox
from helpers.course.sandbox.session import Session

LIMITS = Limits(cell_seconds=3, notebook_seconds=60, memory=1 << 30, output=20_000)


@contextmanager
def begun() -> Iterator[Session]:
    """A kernel in a sandbox that nobody else uses."""
    with closing(Sandbox(LIMITS)) as made, closing(Session(made)) as session:
        yield session


def text_of(session: Session, code: str, seconds: float = 10) -> str:
    """All that is shown by `code`, the kind and the text of an error among it."""
    return "".join(
        output.get("text")
        or output.get("data", {}).get("text/plain", "")
        or f"{output.get('ename', '')}: {output.get('evalue', '')}"
        for output in session.run(code, seconds)
    )
