"""A Pyodide in a folder, for tests without a content delivery network.

    python tools/local_pyodide.py FOLDER

The core and its lock file are npm's package `pyodide`. The compiled packages come out of a wheel on PyPI that carries them
(open-webui), and each must have the sha256 that the official lock names; pure ones are PyPI's own, whose sha256 goes into the
folder's lock. Nothing of it is ever part of the course.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from lite import FROM_PYODIDE, VERSION

CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]
CARRIER = "open-webui==0.12.4"
ALWAYS = ["micropip", "jedi", "traitlets", "tzdata"]            # what the kernel asks for beside the course's own list


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(lock, roots):
    """name -> entry of the lock: the roots and all they depend on. Raises ValueError for a package that the lock doesn't know."""
    packages = {normal(name): entry for name, entry in lock["packages"].items()}
    found, todo = {}, [normal(root) for root in roots]
    while todo:
        name = todo.pop()
        if name not in packages:
            raise ValueError(f"{name} is not among the {len(packages)} packages of the lock")
        if name not in found:
            found[name] = packages[name]
            todo += [normal(other) for other in packages[name]["depends"]]
    return found


def from_carrier(carrier, entry):
    """The bytes of an entry's wheel, or None if the carrier has none with the sha256 of the lock."""
    for name in carrier.namelist():
        if name.endswith("/" + entry["file_name"]):
            data = carrier.read(name)
            return data if hashlib.sha256(data).hexdigest() == entry["sha256"] else None
    return None


def download(folder, *names, python="3.14"):
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
                    "--python-version", python, "--dest", str(folder), *names], check=True)


def assemble(out):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["npm", "pack", "--silent", f"pyodide@{VERSION}"], cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]
        with tarfile.open(Path(folder) / packed) as tar:
            for name in CORE:
                (out / name).write_bytes(tar.extractfile(f"package/{name}").read())
        lock = json.loads((out / "pyodide-lock.json").read_text())
        need, pure = needed(lock, FROM_PYODIDE + ALWAYS), {}
        download(folder, CARRIER, python="3.12")               # the newest that the carrier is for
        with zipfile.ZipFile(next(Path(folder).glob("open_webui*.whl"))) as carrier:
            for name, entry in need.items():
                if data := from_carrier(carrier, entry):
                    (out / entry["file_name"]).write_bytes(data)
                elif entry["file_name"].endswith("none-any.whl"):
                    pure[name] = entry
                else:
                    raise RuntimeError(f"{entry['file_name']}: not in {CARRIER} with the sha256 that the lock names")
    with tempfile.TemporaryDirectory() as folder:
        download(folder, *(f"{name}=={entry['version']}" for name, entry in pure.items()))
        for path in Path(folder).glob("*.whl"):
            entry, data = pure.pop(normal(path.name.split("-")[0])), path.read_bytes()
            entry["file_name"], entry["sha256"] = path.name, hashlib.sha256(data).hexdigest()
            (out / path.name).write_bytes(data)
    if pure:
        raise RuntimeError(f"no wheel was found for {sorted(pure)}")
    lock["packages"] = {name: entry for name, entry in lock["packages"].items() if normal(name) in need}
    (out / "pyodide-lock.json").write_text(json.dumps(lock))
    return len(need)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    count = assemble(folder)
    print(f"{folder}: {count} packages, {sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
