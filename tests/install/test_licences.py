#!/usr/bin/env python3
"""What is linked into the library and the program, and what the program's page contains, is what the
table of licences in docs/dependencies.md lists, and NOTICE has it, too.
Usage: test_licences.py PROGRAM SHARED PAGE, from the folder of the sources; PAGE may be empty."""
import pathlib
import re
import subprocess
import sys


def needed(path):
    text = subprocess.run(["readelf", "-d", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    # libhdf5_serial.so.103 is libhdf5, libyaml-0.so.2 libyaml, ld-linux-x86-64.so.2 ld-linux
    return {re.sub(r"(-x86-64|-aarch64|-\d+|_serial)?\.so.*", "", name) for name in names}


def table():
    """{library: (product, licence)}"""
    text = pathlib.Path("docs/dependencies.md").read_text().split("## Licences")[1]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \|$", text, re.M)
    return {name: (product, licence) for names, product, licence in rows
            for name in re.findall(r"`([^`]+)`", names)}


def contained(page):
    """Packages in the page: those that the viewer's sources import."""
    sources = "".join(path.read_text() for path in pathlib.Path("viewer/src").rglob("*.ts"))
    return {name.split("/")[0] for name in re.findall(r"""from ["']([a-z][^"'.]*)""", sources)}


program, shared, page = sys.argv[1:]
listed, failures = table(), []
linked = needed(program) | needed(shared)
linked |= {name for name in contained(page)}
failures += [f"{name} is linked or contained, but not in the table" for name in sorted(linked - set(listed))]
static_only = {name for name in listed if name.startswith("libsundials_")}  # needed by libperp.a
failures += [f"{name} is in the table, but not linked" for name in sorted(set(listed) - linked - static_only)
             if name not in ("libm", "ld-linux")]
notice = pathlib.Path("NOTICE").read_text()
for product, licence in sorted(set(listed.values())):
    for name in re.sub(r" \(.*?\)", "", product).split(", "):
        words = f"{licence.split()[0]}"
        entry = re.search(rf"^    {re.escape(name)}\b(?:.*\n)(?:        .*\n)*", notice, re.M)
        if not entry or words not in entry[0]:
            failures.append(f"NOTICE does not list {name} with {words}")
for name in ("three", "uplot") if page else ():
    holder = re.search(r"Copyright .*", pathlib.Path(f"viewer/node_modules/{name}/LICENSE").read_text())[0]
    if holder not in pathlib.Path(page).read_text():
        failures.append(f"the page does not have the licence of {name}")
print("\n".join(f"FAILED: {failure}" for failure in failures) or f"{len(linked)} linked or contained, all listed")
sys.exit(bool(failures))
