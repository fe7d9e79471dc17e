"""Structs of C and values of Python, both ways."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
import textwrap
import weakref
from array import array as PlainArray
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._native import ffi, lib

Array = npt.NDArray[np.float64]
Vector = Union[Sequence[float], Array]
Freedom = Union[int, str, Sequence[str]]
MaterialName = Union[int, str]
Changing = Union[Sequence[Union[float, str]], Array]
"""Three numbers, each of which may be a signal or an expression instead."""


class Field(NamedTuple):
    """What a keyword argument is in C."""

    name: str
    struct: str
    about: str
    complete: bool
    """About says the default already."""


def text(value: Any) -> str:
    """A char array or pointer of C."""
    return "" if value == ffi.NULL else ffi.string(value).decode(errors="replace")


_words: dict[str, Callable[[int], Any]] = {
    "PerpOutcome": lib.perp_outcome_name,
    "PerpMethod": lib.perp_method_name,
    "PerpLcpMethod": lib.perp_lcp_method_name,
    "PerpResidual": lib.perp_residual_name,
    "PerpJointKind": lib.perp_joint_kind_name,
    "PerpShapeKind": lib.perp_shape_kind_name,
    "PerpJacobian": lib.perp_jacobian_name,
    "PerpData": lib.perp_data_name,
    "PerpStabilisation": lib.perp_stabilisation_name,
    "PerpContactStatus": lib.perp_contact_status_name,
    "PerpBoundKind": lib.perp_bound_name,
    "PerpEventKind": lib.perp_event_kind_name,
    "PerpExpectKind": lib.perp_expect_kind_name,
    "PerpRecordGroup": lib.perp_record_group_name,
    "PerpExportFormat": lib.perp_export_name,
    "PerpActuatorKind": lib.perp_actuator_kind_name,
    "PerpSensorKind": lib.perp_sensor_kind_name,
    "PerpImpacts": lib.perp_impacts_name,
    "PerpOverlap": lib.perp_overlap_name,
    "PerpCheck": lib.perp_check_name,
    "PerpTiming": lib.perp_timing_name,
}


def word(c_type: str, value: int) -> str:
    """The word of reports for an enumerator."""
    return text(_words[c_type.removeprefix("enum ")](value))


def words_of(c_type: str) -> list[str]:
    """All words of an enumeration, in order."""
    found: list[str] = []
    while (name := word(c_type, len(found))) != "?":
        found.append(name)
    return found


def nearest(name: str, known: Sequence[str]) -> str:
    """The known word that is most like a misspelt one."""
    kept = [ffi.new("char[]", each.encode()) for each in known]
    return text(lib.perp_nearest_word(name.encode(), ffi.new("char *[]", kept), len(kept)))


def unknown(what: str, name: object, known: Sequence[str]) -> str:
    """The message about a name that does not exist."""
    if not known:
        return f"there is no {what} {name!r}; there is none at all"
    return f"there is no {what} {name!r}; the nearest is {nearest(str(name), known)!r}"


def from_word(c_type: str, value: str) -> int:
    """The enumerator of a word."""
    known = words_of(c_type)
    if value not in known:
        what = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", c_type.removeprefix("enum ").removeprefix("Perp")).lower()
        raise ValueError(unknown(what, value, known))
    return known.index(value)


def index_of(names: Sequence[str], what: str, which: Any) -> int:
    """The place of an item by its name, or by its index as in lists."""
    if isinstance(which, str):
        if which not in names:
            raise KeyError(unknown(what, which, names))
        return names.index(which)
    index = int(number(which, "int", what))
    if not -len(names) <= index < len(names):
        raise IndexError(f"there is no {what} {index}, there are {len(names)}")
    return index % len(names)


def by_residual(values: Any, kind: Callable[[Any], Any]) -> dict[str, Any]:
    """Numbers of a certificate by the names of the residuals."""
    return {name: kind(values[k]) for k, name in enumerate(words_of("PerpResidual"))}


def by_check(checks: Any, kind: Callable[[Any], Any]) -> dict[str, Any]:
    """The checks of a verdict that apply, by name."""
    return {name: kind(copied(checks[k])) for k, name in enumerate(words_of("PerpCheck")) if checks[k].applies}


def margins(bounds: Any) -> dict[str, float]:
    """The margins of the bounds whose assumptions hold, by theorem."""
    return {name: float(bounds[k].margin) for k, name in enumerate(words_of("PerpBoundKind")) if bounds[k].applies}


class Struct:
    """A result of C with named numbers."""

    __slots__ = ("_c",)
    _names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, c: Any) -> None:
        """c: a pointer that owns its struct, as `copied` gives."""
        self._c = c

    def __reduce__(self) -> tuple[Any, ...]:
        c_type = ffi.typeof(self._c).item
        texts = {name: text(getattr(self._c, name)) for name in text_fields(c_type) if getattr(self._c, name)}
        return rebuilt, (type(self), c_type.cname, bytes(ffi.buffer(self._c)), texts)

    def as_dict(self) -> dict[str, Any]:
        """All fields by name, nested results as dicts."""
        return {name: _plain(getattr(self, name)) for name in self._names}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._names)})"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value.as_dict() if isinstance(value, Struct) else value


_kept: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()


@functools.cache
def text_fields(c_type: Any) -> list[str]:
    """The fields of a struct that point to text."""
    return [name for name, field in c_type.fields if field.type.cname == "char *"]


def own_texts(c: Any, texts: Mapping[str, bytes]) -> None:
    """Makes texts that live as long as the struct that points to them."""
    if texts:
        _kept[c] = [ffi.new("char[]", each) for each in texts.values()]
        for name, own in zip(texts, _kept[c]):
            setattr(c, name, own)


def copied(c: Any) -> Any:
    """A struct of its own with the same values, and texts of its own."""
    c_type = ffi.typeof(c)
    if c_type.kind == "pointer":
        c_type, c = c_type.item, c[0]
    made = ffi.new(ffi.getctype(c_type, "*"), c)
    own_texts(made, {name: ffi.string(getattr(c, name)) for name in text_fields(c_type) if getattr(c, name)})
    return made


def rebuilt(kind: type[Struct], c_type: str, content: bytes, texts: Mapping[str, str]) -> Struct:
    """A result that was pickled by the same version of perp."""
    made = ffi.new(f"{c_type} *")
    if len(content) != ffi.sizeof(c_type):
        raise ValueError(f"a {kind.__name__} of {len(content)} bytes was pickled by another version of perp")
    ffi.memmove(made, content, len(content))
    for name in text_fields(ffi.typeof(c_type)):
        setattr(made, name, ffi.NULL)
    own_texts(made, {name: value.encode() for name, value in texts.items()})
    return kind(made)


def real(value: Any) -> Array:
    """Numbers as an array; text and complex numbers, which NumPy would convert, are none, nor is what is masked."""
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise TypeError("some of the numbers are masked")
    given = np.asarray(value)
    if given.dtype.kind not in "biufO":
        raise TypeError(f"{given.dtype} is no type of real numbers")
    return np.asarray(given, dtype=np.float64)


def vector(value: Any, count: int, name: str) -> tuple[float, ...]:
    """That many finite or infinite numbers."""
    try:
        numbers = real(value)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (count,) or any(each is None for each in value):  # NumPy takes None for NaN
        raise ValueError(f"{name} is {value!r}, not {count} numbers")
    return tuple(float(x) for x in numbers)


def array(value: Any, shape: tuple[int, ...], name: str) -> Array:
    """A contiguous array of float64 of that shape; -1 stands for any length."""
    try:
        made: Array = np.asarray(real(value), order="C")
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {type(value).__name__}, not an array of numbers") from None
    if made.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, made.shape)):
        wanted = " x ".join("n" if want < 0 else str(want) for want in shape) or "one number"
        raise ValueError(f"{name} has the shape {made.shape}, not {wanted}")
    return made


def pointer(values: Array) -> Any:
    """The numbers of an array that the caller keeps."""
    return ffi.cast("double *", values.ctypes.data)


def c_array(shape: tuple[int, ...], *, writeable: bool) -> tuple[Any, Array]:
    """Zeros that C reads or fills: memory that C has, as long as the first is kept, and a view of it. NumPy can neither
    free nor resize it."""
    count = math.prod(shape)
    memory = ffi.new("double[]", max(count, 1))
    buffer = memoryview(ffi.buffer(memory))
    return memory, np.frombuffer(buffer if writeable else buffer.toreadonly())[:count].reshape(shape)


def mapping(value: Any, name: str) -> Mapping[Any, Any]:
    """A dict or the like."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {type(value).__name__}, not a dict")
    return value


def owned(value: Any) -> Any:
    """A value apart from what its giver may change later: arrays and lists are copied."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(owned, value)) if type(value) in (list, tuple) else tuple(map(owned, value))
    if isinstance(value, (memoryview, PlainArray)) or (hasattr(value, "__array__") and not isinstance(value, np.generic)):
        return np.array(value)
    return value


def numbers_of(c: Any, count: int) -> Array:
    """A copy of that many numbers of C."""
    return np.frombuffer(ffi.buffer(c, 8 * count)).copy() if count > 0 else np.zeros(0)


def encoded(value: Any, name: str) -> bytes:
    """Text for C."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}, not str")
    if "\0" in value:
        raise ValueError(f"{name} holds a zero character")
    return value.encode()


def set_fields(struct: Any, values: Mapping[str, Any], keep: list[Any]) -> None:
    """Writes values by the names of the fields in C; keep holds what pointers lead to."""
    fields = dict(ffi.typeof(struct[0] if ffi.typeof(struct).kind == "pointer" else struct).fields)
    for name, value in values.items():
        set_field(struct, name, fields[name].type, value, keep)
    for name in values.keys() & _counts.keys():  # C cannot see how long they are
        if values[name] is not None and np.size(values[name]) != _counts[name](struct):
            raise ValueError(f"{name} has {np.size(values[name])} items, not {_counts[name](struct)}")


def set_field(struct: Any, name: str, c_type: Any, value: Any, keep: list[Any], called: str = "") -> None:
    """called: by messages, if not by its name in C"""
    called = called or name
    if c_type.kind == "pointer":
        if value is None:
            return
        if c_type.item.cname == "char":
            made = ffi.new("char[]", encoded(value, called))
        elif c_type.item.kind == "struct":
            made = ffi.new(f"{c_type.item.cname}[]", max(len(value), 1))
            for k, item in enumerate(value):
                set_fields(made[k], item, keep)
        else:
            numbers = np.ascontiguousarray(value, dtype=np.float64 if c_type.item.cname == "double" else np.int32)
            keep.append(numbers)
            made = ffi.from_buffer(f"{c_type.item.cname}[]", numbers)
        keep.append(made)
        setattr(struct, name, made)
    elif c_type.kind == "array" and c_type.item.kind == "struct":
        for k, item in enumerate(value):
            set_fields(getattr(struct, name)[k], item, keep)
    elif c_type.kind == "array":
        given = vector(value, c_type.length, called)
        setattr(struct, name, list(given) if c_type.item.cname == "double" else [int(x) for x in given])
    elif c_type.kind == "enum":
        setattr(struct, name, from_word(c_type.cname, value) if isinstance(value, str) else value)
    else:
        setattr(struct, name, number(value, c_type.cname, called))


def number(value: Any, c_type: str, name: str) -> Any:
    """One number of C, or a message that names it."""
    if c_type == "_Bool":
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} is {value!r}, not True or False")
        return bool(value)
    try:
        if c_type == "double":
            if isinstance(value, (str, bytes)):
                raise TypeError
            return float(value)
        whole = operator.index(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, not {'a number' if c_type == 'double' else 'a whole number'}") from None
    if c_type in _ranges and not _ranges[c_type][0] <= whole <= _ranges[c_type][1]:
        raise ValueError(f"{name} is {whole}, not in {_ranges[c_type][0]} .. {_ranges[c_type][1]}")
    return whole


_ranges = {"int": (-(2**31), 2**31 - 1), "unsigned int": (0, 2**32 - 1), "long": (-(2**63), 2**63 - 1)}


# how long the arrays behind pointers are
_counts: dict[str, Callable[[Any], int]] = {
    "vertices": lambda s: 3 * s.n_vertices,
    "triangles": lambda s: 3 * s.n_triangles,
    "heights": lambda s: s.rows * s.columns,
    "table": lambda s: 2 * s.n_points,
    "constants": lambda s: s.n_constants,
    "terms": lambda s: s.n_terms,
    "bodies": lambda s: s.n_bodies,
    "poses": lambda s: s.n_poses,
    "joints": lambda s: s.n_joints,
    "controls": lambda s: s.n_controls,
    "inputs": lambda s: s.n_inputs,
}


def get_fields(struct: Any) -> dict[str, Any]:
    """The values of a definition by the names of its fields; pointers that are NULL are left out."""
    found: dict[str, Any] = {}
    for name, field in ffi.typeof(struct).fields:
        value = getattr(struct, name)
        kind = field.type.kind
        if kind == "pointer" and value == ffi.NULL:
            continue
        if kind == "pointer" and field.type.item.cname == "char":
            found[name] = text(value)
        elif kind == "pointer":
            if name not in _counts:
                raise NotImplementedError(f"a loaded scene with {name} cannot be changed in Python")
            if field.type.item.kind == "struct":
                found[name] = [get_fields(value[k]) for k in range(_counts[name](struct))]
                continue
            dtype = np.float64 if field.type.item.cname == "double" else np.int32
            size = _counts[name](struct) * np.dtype(dtype).itemsize
            found[name] = np.frombuffer(ffi.buffer(value, size), dtype=dtype).copy()
        elif kind == "array" and field.type.item.kind == "struct":
            found[name] = [get_fields(value[k]) for k in range(field.type.length)]
        elif kind == "array":
            found[name] = tuple(value)
        else:
            found[name] = value
    return found


def translate(given: Mapping[str, Any], table: Mapping[str, Field], what: str) -> dict[str, Any]:
    """Keyword arguments by their names in C; a name that does not exist is an error that suggests one, and a value that
    does not fit one that calls it by its name in Python."""
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name not in table:
            raise TypeError(f"{what} has no {name!r}; the nearest is {nearest(name, list(table))!r}")
        field = table[name]
        if not field.complete:  # else a word, which is no number yet
            c = ffi.new(f"{field.struct} *")
            set_field(c, field.name, dict(ffi.typeof(field.struct).fields)[field.name].type, value, [], name)
        made[field.name] = owned(value)
    return made


def defaults(struct: str) -> Any:
    """A definition or settings of C as they are when nothing is said."""
    made = ffi.new(f"{struct} *")
    of = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", struct.removeprefix("Perp").removesuffix("Def")).lower()
    fill = getattr(lib, f"perp_fill_{of}", None)
    if fill is not None:
        fill(made, ffi.sizeof(struct))
    return made


def shown(c_type: Any, value: Any) -> str:
    """A value of C as one would type it in Python."""
    if c_type.kind == "pointer":
        return repr(text(value)) if c_type.item.cname == "char" and value != ffi.NULL else "None"
    if c_type.kind == "enum":
        return repr(word(c_type.cname, value))
    if c_type.kind == "array":
        return f"({', '.join(shown(c_type.item, each) for each in value)})"
    return f"{value:g}" if c_type.cname == "double" else str(value)


_DEFAULT = re.compile(r'default (?:"[^"]*"|[^\s;:,]+)(?: [-\d.]+)*(?: and [^\s;:,.]+(?: ones)?| each)?', re.I)


def described(field: Field) -> str:
    """What a keyword is, with its unit, its default as the library has it, and the words it may be."""
    if field.complete:
        return field.about
    c_type, known = dict(ffi.typeof(field.struct).fields)[field.name].type, defaults(field.struct)
    default = f"default {shown(c_type, getattr(known, field.name))}"
    about = field.about if _DEFAULT.search(field.about) else f"{field.about}, default".removeprefix(", ") + " 0"
    about = _DEFAULT.sub(lambda _: default, about, count=1)
    if c_type.kind == "enum":
        about += f"; {', '.join(repr(each) for each in words_of(c_type.cname))}"
    return about


Function = TypeVar("Function", bound=Callable[..., Any])


def from_c(function: Function) -> Function:
    """Makes a function what C calls by its name; numbers that it fails to give are NaN."""
    ffi.def_extern(error=math.nan if function.__annotations__["return"] == "float" else None)(function)
    return function


def documented(*tables: Mapping[str, Field]) -> Callable[[Function], Function]:
    """Adds keyword arguments to the docstring of a function."""

    def add(function: Function) -> Function:
        listed = [f"{name}: {described(field)}" for table in tables for name, field in table.items()]
        about = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = f"{about}\n\nMore keywords:\n\n" + "\n".join(textwrap.fill(
            line, 116, initial_indent="    ", subsequent_indent=" " * 8) for line in listed) + "\n"
        return function

    return add
