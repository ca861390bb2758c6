"""The worked examples run from beginning to end."""

from pathlib import Path

import pytest

import nbclient
import nbformat

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def test_there_are_two():
    assert len(NOTEBOOKS) == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    printed = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert printed, "nothing was shown"
