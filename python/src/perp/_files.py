"""HDF5 may be used by one thread of the process at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

files = threading.RLock()
# a child process never begins in the midst of a file
os.register_at_fork(before=files.acquire, after_in_parent=files.release, after_in_child=files.release)

_forgotten: list[tuple[Callable[[Any], object], Any]] = []


def close_forgotten(close: Callable[[Any], object], handle: Any) -> None:
    """Closes what nobody holds any more, for the garbage collector, which may run in any thread at any moment: while
    another thread uses HDF5 it is not waited for, and the next file that is forgotten or opened brings it to its end."""
    _forgotten.append((close, handle))
    close_what_waits()


def close_what_waits() -> None:
    """As far as no other thread uses HDF5."""
    while _forgotten and files.acquire(blocking=False):
        try:
            while _forgotten:
                close, handle = _forgotten.pop()
                close(handle)
        finally:
            files.release()
