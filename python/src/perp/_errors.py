"""Errors of the library as exceptions."""

from __future__ import annotations

from typing import Any

from ._native import ffi, lib


class Error(Exception):
    """What the library refuses, or cannot do.

    status: its name in C, such as "BAD_VALUE"
    file, line, column: where in a file, "" and 0 if in none
    """

    def __init__(self, message: str, status: str = "", file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.status, self.file, self.line, self.column)


class BadValue(Error, ValueError):
    """A value is out of its range, or sizes do not fit together."""


class BadFile(Error, ValueError):
    """A file is malformed."""


class FileFailure(Error, OSError):
    """A file cannot be read or written."""


class OutOfMemory(Error, MemoryError):
    """There is no memory left."""


class NotSupported(Error, NotImplementedError):
    """The library cannot do this."""


class NotSolved(Error, ArithmeticError):
    """A step could not be solved to its tolerance."""


class Closed(Error, ValueError):
    """The object was closed."""


class Busy(Error, RuntimeError):
    """The object is in use by another thread, or by the call whose callback this is."""


_classes: dict[str, type[Error]] = {
    "NO_MEMORY": OutOfMemory,
    "BAD_VALUE": BadValue,
    "BAD_SIZE": BadValue,
    "BAD_MASS": BadValue,
    "BAD_SYNTAX": BadFile,
    "NO_FILE": FileFailure,
    "NO_ROOM": FileFailure,
    "EXISTS": FileFailure,
    "NOT_SUPPORTED": NotSupported,
    "NOT_SOLVED": NotSolved,
}


def new_error() -> Any:
    return ffi.new("PerpError *")


def error_of(status: int, error: Any) -> Error:
    """The exception of a PerpError, or of a NATIVE_ status."""
    if status < 0:
        return Closed("the simulation is closed") if status == lib.NATIVE_CLOSED else Busy("the simulation is in use")
    name = ffi.string(lib.perp_status_name(status)).decode()
    room = ffi.new("char[2048]")
    message = ffi.string(error.message).decode(errors="replace")
    message = ffi.string(lib.perp_error_text(error, room, len(room))).decode(errors="replace") if message else name
    kind = _classes.get(name, Error)
    return kind(message, name, ffi.string(error.file).decode(errors="replace"), error.line, error.column)


def check(status: int, error: Any) -> None:
    """Raises unless the status is OK."""
    if status:
        raise error_of(status, error)
