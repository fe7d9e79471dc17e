"""The notebooks run from the first cell to the last."""

import json
import pathlib
import sys

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "notebooks"


@pytest.fixture
def this_python(tmp_path, monkeypatch):
    """A kernel of the interpreter that runs the tests; that of the name python3 may be another."""
    folder = tmp_path / "kernels" / "perp"
    folder.mkdir(parents=True)
    command = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "perp", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    return "perp"


@pytest.mark.parametrize("name", ["hello", "mechanism", "friction", "training"])
def test_notebook(name, this_python):
    if name == "training":
        pytest.importorskip("gymnasium")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name=this_python).execute()
    pages = [output["data"].get("text/html", "") for cell in notebook.cells if cell.cell_type == "code"
             for output in cell.outputs if "data" in output]
    if name in ("hello", "mechanism"):
        assert any("<iframe" in page for page in pages)
