"""The program perp, which comes with the package: it makes the pages of recordings and reproduces the papers."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

from ._errors import Error

PROGRAM = pathlib.Path(__file__).with_name("program")


def call(*arguments: str, processes: set[subprocess.Popen[str]] | None = None) -> str:
    """What the program prints; its message as an exception if it fails.

    processes: it is one of these as long as it runs
    """
    with subprocess.Popen([os.fspath(PROGRAM), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        if processes is not None:
            processes.add(process)
        try:
            printed, complaint = process.communicate()
        except BaseException:
            process.kill()
            raise
        finally:
            if processes is not None:
                processes.discard(process)
    if process.returncode:
        raise Error(complaint.strip() or f"perp {arguments[0]} ended with {process.returncode}")
    return printed


def main() -> int:
    """The command perp."""
    os.execv(PROGRAM, ["perp", *sys.argv[1:]])
