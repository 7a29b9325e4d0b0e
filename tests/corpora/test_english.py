"""English from docstrings: what is taken, what is left, and what is kept."""

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest

from helpers.corpora import english, prose

MODULE = '''
"""A module about tables. It holds a table of numbers for everyone.

>>> not(prose)
"""

def f():
    """Return the table as it is. Return the table as it is. Nothing more is done here.

    Too short. The value of {this} is no prose at all.
    """

class C:
    """Only one sentence stands in this docstring."""
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "lib" / "a_small_package"
    (folder / "tests").mkdir(parents=True)
    (folder / "__init__.py").write_text(MODULE)
    (folder / "broken.py").write_text("def (")
    (folder / "tests" / "test_it.py").write_text('"""We never look here. Not at all in tests."""')
    monkeypatch.syspath_prepend(tmp_path / "lib")
    return "a_small_package"


def test_sentences_of_prose_once_and_in_order(package: str, tmp_path: Path) -> None:
    found = english.docstrings([package, "no_such_package"], cache=tmp_path)
    assert found.documents == [
        ["A module about tables.", "It holds a table of numbers for everyone."],
        ["Return the table as it is.", "Nothing more is done here."],
    ]
    assert found.sources == {package: sum(len(s) for d in found.documents for s in d)}
    assert "2 documents" in str(found) and "a_small_package 100%" in str(found)
    assert package not in sys.modules  # it is read, not run
    (tmp_path / "file").write_text("")  # where nothing can be kept
    assert english.docstrings([package], cache=tmp_path / "file").documents == found.documents


def test_many_files_are_read_in_processes_and_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for n in range(9):
        files.append(tmp_path / f"{n}.py")
        said = f"This is sentence one of file {n}. And another one follows it here."
        # A method behind a branch, a class in an except clause, a case; and what is no docstring.
        files[-1].write_text(
            f'if 1:\n    def f():\n        """{said}"""\n'
            f'try: x = lambda: """{said}"""\nexcept E:\n    class C:\n        """{said}"""\n'
            f'match x:\n    case 1:\n        def g():\n            """{said}"""\n'
        )
    monkeypatch.setattr(english, "PORTION", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    apart = list(english._read_prose(files, "test"))
    assert [len(each) for each in apart] == [2] * 27
    assert apart[::3] == [
        [f"This is sentence one of file {n}.", "And another one follows it here."] for n in range(9)
    ]
    monkeypatch.setattr(sys, "executable", "no such program")
    assert list(english._read_prose(files, "test")) == apart
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert list(english._read_prose(files, "test")) == apart


def test_a_folder_of_texts_is_read_paragraph_by_paragraph(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_text("The end.")
    (tmp_path / "a.txt").write_text("It began\nhere. Then it\nwent on.\n\n\nA new day came.")
    (tmp_path / "a.md").write_text("not this")
    found = english.text_files(tmp_path)
    assert found.documents == [
        ["It began here.", "Then it went on."], ["A new day came."], ["The end."]
    ]  # fmt: skip
    assert [*found.sources] == ["a.txt", str(Path("b") / "two.txt")]
    assert str(found).startswith("3 documents, 0.00 million characters (a.txt 86%")
    with pytest.raises(ValueError, match="no text"):
        english.text_files(tmp_path / "none")


def test_another_version_is_another_text(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english.docstrings([package], cache=tmp_path)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.0")
    said = ["This sentence is new in version two.", "This one is new as well."]
    (tmp_path / "lib" / package / "__init__.py").write_text(f'"""{" ".join(said)}"""')
    assert said in english.docstrings([package], cache=tmp_path).documents


def test_other_rules_for_sentences_need_the_packages_again(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english.docstrings([package], cache=tmp_path)
    (tmp_path / "lib" / package / "__init__.py").write_text("")
    (tmp_path / "prose.py").write_bytes(Path(prose.__file__).read_bytes() + b"# changed")
    monkeypatch.setattr(prose, "__file__", str(tmp_path / "prose.py"))
    with pytest.raises(ValueError, match="no docstrings in a_small_package"):
        english.docstrings([package], cache=tmp_path)


def test_it_is_kept_and_a_broken_copy_is_made_again(package: str, tmp_path: Path) -> None:
    first = english.docstrings([package], cache=tmp_path)
    (copy,) = tmp_path.glob("english-*.json")
    (tmp_path / "lib" / package / "__init__.py").write_text("")
    assert english.docstrings([package], cache=tmp_path) == first
    copy.write_text("{")
    with pytest.raises(ValueError, match="no docstrings in a_small_package"):
        english.docstrings([package], cache=tmp_path)


def test_no_document_is_both_trained_on_and_held_out() -> None:
    documents = [[f"sentence {n}"] for n in range(45)]
    train, held_out = english.English(documents, {}, "").split()
    assert held_out == [documents[0], documents[20], documents[40]]
    assert sorted([*train, *held_out]) == sorted(documents) and len(train) == 42
