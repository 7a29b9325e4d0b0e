"""docs/encodings.md says what a fresh run would say; rounding may differ between machines."""

import re

from tests.encodings import table

NUMBER = re.compile(r"\| (\de-\d+) \|$", re.MULTILINE)


def test_the_page_is_what_make_table_writes() -> None:
    written = table.PATH.read_text(encoding="utf-8")
    fresh = table.as_markdown(table.rows())
    assert NUMBER.sub("", written) == NUMBER.sub("", fresh), "run: python -m tests.encodings.table"
    stored = [float(each) for each in NUMBER.findall(written)]
    assert stored and all(value < 1e-6 for value in stored)
