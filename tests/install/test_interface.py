#!/usr/bin/env python3
"""The interface of the public headers beside tests/install/interface.txt, which programs of this SONAME were
promised: no function, constant or field may go, move or change its type, and structs that grow do so at their end only
(docs/api.md names them). Needs clang. PIN=1 writes the file anew. Usage: test_interface.py, from the sources."""
import json
import os
import pathlib
import re
import subprocess
import sys

PINNED = pathlib.Path("tests/install/interface.txt")


def clang(*options):
    headers = sorted(path.name for path in pathlib.Path("include/perp").glob("*.h"))
    source = "".join(f'#include "perp/{name}"\n' for name in headers)
    return subprocess.run(["clang", "-x", "c", "-std=c11", "-Iinclude", "-fsyntax-only", *options, "-"], check=True,
                          text=True, input=source, stdout=subprocess.PIPE).stdout


def structs():
    """{struct NAME: {"sizeof": bytes, FIELD: type and place}}"""
    found = {}
    for block in clang("-Xclang", "-fdump-record-layouts-complete").split("*** Dumping AST Record Layout")[1:]:
        name = re.search(r"0 \| (?:struct )?(Perp\w+)\n", block)
        if name:
            fields = re.findall(r"^ *(\d+) \|   (\S.*?) ?(\w+)$", block, re.M)
            found[f"struct {name[1]}"] = {"sizeof": re.search(r"sizeof=(\d+)", block)[1],
                                          **{field: f"{kind} at {place}" for place, kind, field in fields}}
    return found


def value(node):
    """The value of a constant, if it is written down."""
    return node.get("value") or next(filter(None, map(value, node.get("inner", []))), None)


def declarations():
    """Functions with their types, and enumerations with their values."""
    functions, enums = {}, {}
    for node in json.loads(clang("-Xclang", "-ast-dump=json"))["inner"]:
        if node["kind"] == "FunctionDecl" and node["name"].startswith("perp_"):
            functions[node["name"]] = node["type"]["qualType"]
        elif node["kind"] == "EnumDecl":
            number, constants = -1, {}
            for constant in node.get("inner", []):
                if constant["kind"] == "EnumConstantDecl":
                    number = int(value(constant) or number + 1)
                    constants[constant["name"]] = str(number)
            first = next(iter(constants), "")
            if first.startswith("PERP_"):
                enums[f"enum of {first}"] = constants
    return {"functions": functions, **enums}


def write(interface):
    return "".join(f"{thing}\n" + "".join(f"    {name}: {what}\n" for name, what in parts.items())
                   for thing, parts in sorted(interface.items()))


def read(text):
    interface = {}
    for line in text.splitlines():
        if line.startswith("    "):
            name, what = line.strip().split(": ", 1)
            interface[thing][name] = what
        else:
            thing = line
            interface[thing] = {}
    return interface


def growing():
    """The structs that docs/api.md allows to grow."""
    section = pathlib.Path("docs/api.md").read_text().split("## Structs that may grow\n")[1].split("\n## ")[0]
    return {f"struct {name}" for row in re.findall(r"^\|([^|]*)\|", section, re.M)
            for name in re.findall(r"`(Perp\w+)`", row)}


def breaks(then, now):
    """What a program that was compiled with the interface of then does not find in that of now."""
    grows = growing()
    for thing, parts in then.items():
        if thing not in now:
            yield f"{thing} is gone"
            continue
        for name, what in parts.items():
            is_now = now[thing].get(name, "gone")
            # a number of constants, as the length of an array, shows in the struct that holds it
            if name == "sizeof" and thing in grows or name.endswith("_COUNT") and int(is_now) >= int(what):
                continue
            if what != is_now:
                yield f"{thing}: {name}: {what}, now {is_now}"
        added = [what for name, what in now[thing].items() if name not in parts]
        if thing in grows and any(int(what.split()[-1]) < int(parts["sizeof"]) for what in added):
            yield f"{thing}: a new field is not behind all others; fill up with `reserved`"


interface = {**structs(), **declarations()}
if os.environ.get("PIN"):
    PINNED.write_text(write(interface))
failures = list(breaks(read(PINNED.read_text()), interface))
print("\n".join(failures) or f"{len(interface)} things as promised")
if failures:
    print("Programs that were compiled with this SONAME would break. After a release: a new minor version. Before one: "
          "PIN=1 python3 tests/install/test_interface.py, and tell CHANGELOG.md.")
sys.exit(bool(failures))
