"""What editors, services and accidents make of a whole notebook: each is a change of the work."""

from __future__ import annotations

from tests.course.everyday.work import Work, is_code, nbgrader, released

PICTURE = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480 with 1 Axes>"}


def saved_by_colab(work: Work) -> None:
    """Write metadata and outputs as Colab does, with each cell's id among them."""
    work.notebook["metadata"] |= {"kernelspec": {}, "colab": {"provenance": []}}
    for cell in work.cells:
        cell["metadata"] = {"id": cell.pop("id"), "colab": {"base_uri": "https://localhost:8080/"}}
        if is_code(cell):
            kind = "application/vnd.google.colaboratory.intrinsic+json"
            data = {kind: {"type": "string"}, "text/plain": "'3'"}
            shown = {"output_type": "execute_result", "execution_count": 3, "metadata": {}}
            cell["outputs"] = [shown | {"data": data}]
            cell["metadata"]["outputId"] = "0a1b2c3d-0001"


def same_id_everywhere(work: Work) -> None:
    """Write what VS Code did for a while."""
    for cell in work.cells:
        cell["metadata"]["vscode"] = {"languageId": "python"}
        cell["id"] = "1"


def large_outputs(work: Work) -> None:
    shown = {"output_type": "stream", "name": "stdout", "text": "a line of it\n" * 2_000}
    for cell in filter(is_code, work.cells):
        cell["outputs"] = [shown, {"output_type": "display_data", "metadata": {}, "data": PICTURE}]


def without_line_ends(work: Work) -> None:
    """Leave the ends of lines out, as some programs do."""
    for cell in work.cells:
        cell["source"] = cell["source"].splitlines()


def without_checks(work: Work) -> None:
    work.cells[:] = [cell for cell in work.cells if not nbgrader(cell).get("locked")]


def given_again_in_front(work: Work) -> None:
    """Put all cells as they were given in front of the answered ones, with the same names."""
    work.cells[:0] = [
        cell | {"id": f"again-{n}"} for n, cell in enumerate(released(work.unit)["cells"])
    ]


def answer_as_raw(work: Work) -> None:
    """Make the fourth answer a raw cell, as a key does that is pressed by accident."""
    answer = work.answer(4)
    answer["cell_type"] = "raw"
    del answer["outputs"], answer["execution_count"]


def saved_by_windows(work: Work) -> None:
    """Write a mark of the encoding, and line ends as Windows does."""
    work.written = lambda text: (
        text.replace("\\n", "\\r\\n").replace("\n", "\r\n").encode("utf-8-sig")
    )
