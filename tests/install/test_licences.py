#!/usr/bin/env python3
"""What is linked into the library and the program, and what the program's page contains, is what the
table of licences in docs/dependencies.md lists, and NOTICE has it, too; likewise what a wheel holds.
Usage: test_licences.py PROGRAM SHARED PAGE, from the folder of the sources; PAGE may be empty
       test_licences.py WHEEL"""
import pathlib
import re
import subprocess
import sys
import zipfile


def needed(path):
    text = subprocess.run(["readelf", "-d", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    # libhdf5_serial.so.103 is libhdf5, libyaml-0.so.2 libyaml, ld-linux-x86-64.so.2 ld-linux
    return {re.sub(r"(-x86-64|-aarch64|-\d+|_serial)?\.so.*", "", name) for name in names}


def table(title="## Licences"):
    """{library: (product, licence)}"""
    text = pathlib.Path("docs/dependencies.md").read_text().split(title + "\n")[1].split("\n## ")[0].split("\n### ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \|$", text, re.M)
    return {name: (product, licence) for names, product, licence in rows
            for name in re.findall(r"`([^`]+)`", names)}


def contained(page):
    """Packages in the page: those that the viewer's sources import."""
    sources = "".join(path.read_text() for path in pathlib.Path("viewer/src").rglob("*.ts"))
    return {name.split("/")[0] for name in re.findall(r"""from ["']([a-z][^"'.]*)""", sources)}


def in_notice(listed):
    """What NOTICE does not say of the products in a table."""
    notice = pathlib.Path("NOTICE").read_text()
    for product, licence in sorted(set(listed.values())):
        for name in re.sub(r" \(.*?\)", "", product).split(", ") if product != "perp" else ():
            words = licence.split()[0]
            entry = re.search(rf"^    {re.escape(name)}\b(?:.*\n)(?:        .*\n)*", notice, re.M)
            if not entry or words not in entry[0]:
                yield f"NOTICE does not list {name} with {words}"


def check_wheel(path):
    """The libraries in a wheel, the texts of their licences, and nothing else."""
    files = zipfile.ZipFile(path).namelist()
    held = {re.sub(r"(-[0-9a-f]{8}|-\d+-[0-9a-f]{8}|_serial-[0-9a-f]{8}|-r\d+-[0-9a-f]{8}).*", "", name.split("/")[1])
            for name in files if name.startswith("perp.libs/lib")}
    besides = table("### In the wheel besides")
    listed = {**table(), **besides}
    yield from (f"{name} is in the wheel, but not in the tables" for name in sorted(held - set(listed)))
    yield from (f"{name} is in the table, but not in the wheel" for name in sorted(set(besides) - held))
    yield from in_notice(besides)
    texts = [name for name in files if "/licenses/" in name]
    if len(texts) < 12 or not any(name.endswith("LGPL-2.1") for name in texts):
        yield f"the wheel has the licences {texts} only"
    print(f"{len(held)} libraries in the wheel, {len(texts)} texts of licences")


def check_build(program, shared, page):
    listed = table()
    linked = needed(program) | needed(shared) | contained(page)
    yield from (f"{name} is linked or contained, but not in the table" for name in sorted(linked - set(listed)))
    static_only = {name for name in listed if name.startswith("libsundials_")}  # needed by libperp.a
    yield from (f"{name} is in the table, but not linked" for name in sorted(set(listed) - linked - static_only)
                if name not in ("libm", "ld-linux"))
    yield from in_notice(listed)
    for name in ("three", "uplot") if page else ():
        holder = re.search(r"Copyright .*", pathlib.Path(f"viewer/node_modules/{name}/LICENSE").read_text())[0]
        if holder not in pathlib.Path(page).read_text():
            yield f"the page does not have the licence of {name}"
    print(f"{len(linked)} linked or contained")


failures = list(check_wheel(sys.argv[1]) if len(sys.argv) == 2 else check_build(*sys.argv[1:]))
print("\n".join(f"FAILED: {failure}" for failure in failures) or "all listed")
sys.exit(bool(failures))
