"""Makes the binding from the public headers: C declarations for cffi, and fields with their comments for Python.

Usage: declare.py COMPILER INCLUDE OUT_C OUT_PY

OUT_C is the extension module perp._native. OUT_PY is perp/_declared.py: a TypedDict of keyword arguments for each
definition, and a class with typed properties for each result, both documented by the comments of the headers.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# definitions and settings, which Python takes as keyword arguments: name of the TypedDict, struct,
# fields that have another name (None: not for Python, or an argument of its own). Names are those of scene files.
DEFINITIONS = {
    "BodyFields": ("PerpBodyDef", {"position": "at", "rotation": "quaternion", "freedom": "free"}),
    "ShapeFields": ("PerpShapeDef", {
        "position": "at", "rotation": "quaternion", "kind": None, "size": None, "body": None, "n_vertices": None,
        "vertices": None, "n_triangles": None, "triangles": None, "rows": None, "columns": None, "heights": None}),
    "AxisFields": (("PerpAxisDef", "PerpAxisSoftDef"), {}),
    "JointFields": ("PerpJointDef", {
        "kind": None, "body_a": None, "body_b": None, "anchor": None, "anchor_b": None, "axis": None,
        "axis_b": None, "length": None, "restitution": None, "joint_a": None, "joint_b": None,
        "coordinate_a": None, "coordinate_b": None, "ratio_a": None, "ratio_b": None, "axis_def": None,
        "axis_soft": None}),
    "SpringFields": ("PerpSpringDef", {"body_a": None, "body_b": None, "anchor_a": "at", "anchor_b": "to"}),
    "ForceFields": ("PerpForceDef", {"body": None, "point": "at", "force_signal": None, "torque_signal": None}),
    "MaterialFields": ("PerpMaterialDef", {"name": None, "mu_second": "second_mu"}),
    "PairFields": ("PerpPairDef", {"material_a": None, "material_b": None, "mu_second": "second_mu"}),
    "SiteFields": ("PerpSiteDef", {"name": None, "body": None, "position": "at", "rotation": "quaternion"}),
    "ActuatorFields": ("PerpActuatorDef", {
        "name": None, "control": None, "joint": None, "n_terms": None, "terms": None, "site_a": None, "site_b": None}),
    "SensorFields": ("PerpSensorDef", {
        "name": None, "kind": None, "index": None, "other": None, "frame": None, "n_bodies": None, "bodies": None}),
    "Settings": ("PerpSimulationSettings", {"size": None, "step": "h"}),
    "BatchSettings": ("PerpSimulationSettings", {"size": None, "step": "h", "threads": None}),
    "LcpFields": ("PerpLcpSettings", {"size": None, "cover": None, "basis": None}),
    "ProblemFields": ("PerpProblemSettings", {
        "size": None, "method": None, "basis": None, "basis_size": None, "start": None, "trace": None,
        "trace_user": None}),
    "RecordFields": ("PerpRecorderOptions", {
        "size": None, "scene": None, "set": None, "n_set": None, "options": None, "user": None, "user_size": None,
        "groups": None, "problems": None}),
}

# results, which Python sees as objects
RESULTS = {
    "PerpEnergy": "Energy",
    "PerpCertificate": "Certificate",
    "PerpGap": "Gap",
    "PerpHeld": "Held",
    "PerpStepReport": "Report",
    "PerpChecked": "Checked",
    "PerpVerdict": "Verdict",
    "PerpLcpCertificate": "LcpCertificate",
    "PerpLcpRayCertificate": "LcpRayCertificate",
    "PerpContactCertificate": "ContactCertificate",
    "PerpFrictionResidual": "FrictionResidual",
    "PerpRecordingInfo": "RecordingInfo",
    "PerpRunDef": "Run",
}

# types of Python that the C type does not tell
TYPES = {"free": "Freedom", "material": "MaterialName", "facets": "int | str", "methods": "int | Sequence[str]",
         "force": "Changing", "torque": "Changing", "shape": "int | str", "other_shape": "int | str"}

# what Python says of keywords that are numbers in C and words in Python
ABOUT = {
    "free": 'directions in which it may move: "all", "fixed", "point", "planar-xy", "planar-xz", or a list of "x", "y", "z", '
            '"rotation-x", "rotation-y", "rotation-z"; default "all"',
    "material": 'its name, default "default"',
    "scheme": 'one of perp.schemes(), default "default"',
    "facets": 'of the friction polygon: an even number, 4 .. 64, planar: 2, or "circular"; default as the scheme has it',
    "methods": "names of those that may be used, of perp.methods(); default all",
    "force": "N, world axes: numbers, signals or expressions, default (0, 0, 0)",
    "torque": "N m, world axes: numbers, signals or expressions, default (0, 0, 0)",
    "shape": "contacts, distance: of this shape of the body alone, default of all",
    "other_shape": "likewise of the other body, or of the world; default of all",
}

# structs whose comments say "as above"
ABOVE = {"PerpPairDef": "PerpMaterialDef"}

NUMBERS = {"double": "float", "int": "int", "long": "int", "unsigned": "int", "bool": "bool", "size_t": "int",
           "unsigned long long": "int", "const char *": "str"}


def preprocess(compiler, include, header):
    """What the compiler sees of the headers, without system headers and attributes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdbool.h"):
            (pathlib.Path(empty) / name).touch()
        command = [compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", include, "-D__attribute__(x)=", str(header)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def without_bodies(text):
    """Functions that are defined in headers become declarations, which the extension module calls all the same."""
    made, rest = [], text
    while (start := rest.find("static inline")) >= 0:
        brace = rest.index("{", start)
        depth, end = 1, brace + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(rest[end], 0)
            end += 1
        made += [rest[:start], rest[start + len("static inline"):brace].strip(), ";\n"]
        rest = rest[end:]
    return "".join(made) + rest


def structs_of(include):
    """name -> (comment above it, [(C type, field, numbers in it, comment)]) of all structs of the headers."""
    found = {}
    pattern = re.compile(r"((?://[^\n]*\n)*)typedef struct (Perp\w+) \{\n(.*?)\n\} \2;", re.S)
    for header in sorted(pathlib.Path(include, "perp").glob("*.h")):
        for about, name, body in pattern.findall(header.read_text()):
            found[name] = (words(about), fields_of(body))
    return found


def words(comment):
    return " ".join(line.strip().lstrip("/").strip() for line in comment.splitlines()).strip()


def fields_of(body):
    """A comment behind a declaration belongs to its fields, and goes on in lines that hold nothing else."""
    fields, declaration, last = [], "", []
    for line in body.splitlines():
        code, _, comment = line.partition("//")
        declaration += " " + code.strip()
        if not code.strip() and last and not declaration.strip():
            for field in last:
                field[3] = (field[3] + " " + comment.strip()).strip()
            continue
        if not declaration.rstrip().endswith(";"):
            continue
        last = []
        if "(" not in declaration:
            last = [[*field, comment.strip()] for field in split(declaration)]
        fields += last
        declaration = ""
    return [tuple(field) for field in fields]


def split(declaration):
    """double a[3], *b;  ->  (double, a, 3), (double *, b, '')"""
    for part in declaration.split(";"):
        match = re.match(r"\s*((?:const )?(?:unsigned long long|size_t|\w+))\s+(.*)", part.strip())
        if not match:
            continue
        for name in match.group(2).split(","):
            stars, field, count = re.match(r"\s*([*]*(?:const \*)?)\s*(\w+)(?:\[(\w+)\])?", name).groups()
            yield (match.group(1) + (" " + stars if stars else ""), field, count or "")


def python_type(c_type, count):
    plain = NUMBERS.get(c_type)
    if plain == "float" and count:
        return "Vector"
    if plain == "int" and count:
        return "Sequence[int]"
    return plain or ("str" if re.fullmatch(r"Perp\w+(?<!Callback)", c_type) and not count else None)


def doc(text, indent):
    text = text.replace("\\", "").replace('"""', "'''")
    return f'{indent}"""{text}{"." if text.endswith(chr(34)) else ""}"""\n'


def definition(title, names, renamed, structs, constants):
    lines, table = [], []
    for struct in names:
        above = {field: comment for _, field, _, comment in structs[ABOVE.get(struct, struct)][1]}
        for c_type, field, count, comment in structs[struct][1]:
            name = renamed.get(field, field)
            kind = python_type(c_type, count) and (TYPES.get(name) or python_type(c_type, count))
            if name and kind:
                told = ABOUT.get(name) or in_python(above[field] if comment in ("", "as above") else comment, constants)
                lines.append(f"    {name}: {kind}\n")
                table.append(f"    {name!r}: Field({field!r}, {struct!r}, {told!r}, {name in ABOUT}),\n")
    text = f"class {title}(TypedDict, total=False):\n" + doc(structs[names[0]][0], "    ") + "\n" + "".join(lines)
    return text + f"\n\n{title.upper()} = {{\n{''.join(table)}}}\n\n\n"


def in_python(comment, constants):
    """A comment of C in words of Python."""
    words = {"NULL": "None", "true": "True", "false": "False", "INFINITY": "inf", **constants}
    return re.sub(r"\w+", lambda match: words.get(match[0], match[0]), comment)


def constants_of(include):
    """Named numbers of the headers, as text."""
    return {name: value for header in pathlib.Path(include, "perp").glob("*.h")
            for name, value in re.findall(r"^#define (PERP_\w+) ([-+.\de]+)\b", header.read_text(), re.M)}


def result(struct, about, fields):
    lines = [f"class {RESULTS[struct]}(Struct):\n", doc(about or "As in C", "    "), "\n    __slots__ = ()\n"]
    names = []
    for c_type, field, count, comment in fields:
        if field == "size":
            continue
        kind, value = result_type(c_type, count)
        if kind:
            names.append(field)
            lines.append(f"\n    @property\n    def {field}(self) -> {kind}:\n{doc(comment or field, '        ')}"
                         f"        return {value.format(f'self._c.{field}')}\n")
    lines.append(f"\n    _names = {tuple(names)!r}\n\n\n")
    return "".join(lines)


def result_type(c_type, count):
    if c_type == "char":
        return "str", "text({})"
    if c_type == "const char *":
        return "str", "text({})"
    if c_type in NUMBERS and not count:
        kind = NUMBERS[c_type]
        return kind, kind + "({})"
    if c_type == "double" and count == "PERP_RESIDUAL_COUNT":
        return "dict[str, float]", "by_residual({}, float)"
    if c_type == "int" and count == "PERP_RESIDUAL_COUNT":
        return "dict[str, int]", "by_residual({}, int)"
    if c_type == "PerpBound":
        return "dict[str, float]", "margins({})"
    if c_type == "PerpChecked" and count == "PERP_CHECK_COUNT":
        return "dict[str, Checked]", "by_check({}, Checked)"
    if c_type in RESULTS and not count:
        return RESULTS[c_type], RESULTS[c_type] + "(copied({}))"
    if c_type.startswith("Perp") and "*" not in c_type and not count:
        return "str", f"word({c_type!r}, {{}})"
    return None, None


HEAD = '''"""Made by python/declare.py from the public headers; do not edit."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import TypedDict

from ._struct import (Changing, Field, Freedom, MaterialName, Struct, Vector, by_check, by_residual, copied, margins, text,
                      word)


'''


def main(compiler, include, out_c, out_py):
    import cffi

    here = pathlib.Path(__file__).parent
    ffi = cffi.FFI()
    ffi.cdef(without_bodies(preprocess(compiler, include, here / "native.h")))
    ffi.cdef((here / "callbacks.h").read_text())
    ffi.set_source("perp._native", '#include "native.h"\n', py_limited_api=True)
    ffi.emit_c_code(out_c)
    structs = structs_of(include)
    made = [HEAD]
    constants = constants_of(include)
    for title, (names, renamed) in DEFINITIONS.items():
        made.append(definition(title, [names] if isinstance(names, str) else names, renamed, structs, constants))
    made += [result(name, *structs[name]) for name in RESULTS]
    pathlib.Path(out_py).write_text("".join(made).rstrip("\n") + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
