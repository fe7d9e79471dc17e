#!/usr/bin/env python3
"""The shared library exports what the public headers declare, no more and no less, and every global
symbol of the static one has the prefix. Usage: test_symbols.py SHARED STATIC, from the sources."""
import pathlib
import re
import subprocess
import sys


def symbols(library, *options):
    lines = subprocess.run(["nm", "--defined-only", *options, library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {line.split()[-1] for line in lines if len(line.split()) == 3}


def declared():
    """Names of functions in the headers; inline ones have no symbol."""
    names = set()
    for header in pathlib.Path("include/perp").glob("*.h"):
        text = re.sub(r"//.*", "", header.read_text())
        text = re.sub(r"^#.*?(?<!\\)$", "", text, flags=re.M | re.S)
        names |= {f"perp_fill_{name}" for name in re.findall(r"^PERP_DEFAULTS\(\w+, (\w+)\)", text, re.M)}
        names |= set(re.findall(r"^PERP_API[^;(]*?\b(perp_\w+)\(", text, re.M))
    return names


def complain(what, names):
    for name in sorted(names):
        print(f"FAILED: {what}: {name}")
    return bool(names)


shared, static = sys.argv[1:]
exported, public = symbols(shared, "-D"), declared()
failed = complain("exported but in no public header", exported - public)
failed |= complain("in a public header but not exported", public - exported)
failed |= complain("global without the prefix perp_",
                   {name for name in symbols(static, "-g") if not name.startswith("perp_")})
print(f"{len(exported)} symbols exported, {len(public)} declared")
sys.exit(failed)
