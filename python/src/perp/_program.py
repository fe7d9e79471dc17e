"""The program perp, which comes with the package: it makes the pages of recordings and reproduces the papers."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

from ._errors import Error

PROGRAM = pathlib.Path(__file__).with_name("program")


def call(*arguments: str) -> str:
    """What the program prints; its message as an exception if it fails."""
    done = subprocess.run([os.fspath(PROGRAM), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Error(done.stderr.strip() or f"perp {arguments[0]} ended with {done.returncode}")
    return done.stdout


def main() -> int:
    """The command perp."""
    os.execv(PROGRAM, ["perp", *sys.argv[1:]])
