"""The programs of the README and of docs/python.md run and print what is said."""

import contextlib
import io
import pathlib
import re

import numpy as np
import perp

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)


def run(program, **names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "docs", "exec"), {"perp": perp, "np": np, **names})
    return printed.getvalue().strip()


def test_readme():
    (program,) = blocks("README.md")
    assert f"It prints `{run(program)}`." in (ROOT / "README.md").read_text()


def test_page(tmp_path, monkeypatch, box):
    hello, recordings, many, problems = blocks("docs/python.md")[:4]
    assert "solved" in run(hello)
    monkeypatch.chdir(tmp_path)
    run(recordings, sim=box.simulate())
    run(many.replace("1000", "8"), m=box, masses=np.linspace(1, 2, 8))
    names = {"M": np.eye(2), "q": -np.ones(2)}
    lines = [line for line in problems.splitlines() if line.startswith("perp.solve_lcp")]
    assert lines
    run("\n".join(lines), **names)
