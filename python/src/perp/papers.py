"""Tables, figures and examples of the papers, reproduced."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import numpy as np

from ._program import call


def papers() -> list[str]:
    """Names of what can be reproduced."""
    lines = call("paper").splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")]


def _columns(rows: Any) -> Any:
    """A list of objects with the same keys as arrays by key; null is NaN."""
    if isinstance(rows, dict):
        return {name: _columns(value) for name, value in rows.items()}
    if not (isinstance(rows, list) and rows):
        return rows
    if all(isinstance(row, dict) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: _columns([row.get(name) for row in rows]) for name in names}
    if all(each is None or isinstance(each, (int, float)) for each in rows):
        return np.array([np.nan if each is None else each for each in rows], dtype=np.float64)
    return [_columns(each) for each in rows]


def paper(name: str) -> dict[str, Any]:
    """Reproduces a table, figure or example of a paper: what perp computes, as arrays by column, and what is printed.

    >>> table = paper("st97-balls")["rows"]
    >>> table["h"][:2].tolist(), bool(table["velocity_error"][0] > table["velocity_error"][1])
    ([0.02, 0.01], True)
    """
    if not isinstance(name, str) or name.startswith("-"):
        raise ValueError(f"there is no paper {name!r}; perp.papers() lists them")
    with tempfile.TemporaryDirectory() as folder:  # for its files, which nobody asked for
        found: dict[str, Any] = _columns(json.loads(call("paper", name, "--json", "-o", folder)))
    return found
