"""docs/encodings.md says what a fresh run would say."""

from tests.encodings import table


def test_the_page_is_what_make_table_writes() -> None:
    written = table.PATH.read_text(encoding="utf-8")
    assert written == table.as_markdown(table.rows()), "run: python -m tests.encodings.table"
