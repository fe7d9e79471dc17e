"""Every example of the docstrings runs, from the folder of the sources."""

import doctest
import importlib
import pkgutil

import perp
import pytest

MODULES = [name for _, name, _ in pkgutil.iter_modules(perp.__path__, "perp.") if not name.endswith("_native")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "perp.gym":
        pytest.importorskip("gymnasium")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
