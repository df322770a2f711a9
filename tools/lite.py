"""The course in the browser, without a server: a JupyterLite site with all notebooks, and Python itself (Pyodide).

    python tools/lite.py                       writes _site/lite          (needs tools/requirements-site.txt)
    python tools/lite.py OUT --pyodide FOLDER  with a local Pyodide in it, for tests without a network

The kernel loads the course's library and what it needs before it answers, so no notebook has a set-up cell for it. A notebook
shows its pictures while the kernel starts; what was printed after a prediction is left out, so that a prediction is one.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
VERSION = "314.0.3"                                            # of Pyodide: the one that the tests put together
PYODIDE = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/pyodide.mjs"
FROM_PYODIDE = ["matplotlib", "pillow", "ipython", "typing-extensions"]                  # and whatever these need, NumPy for one
PURE = ["comm==0.2.3", "psygnal==0.16.1", "ipywidgets==8.1.9", "anywidget==0.11.0"]     # wheels that the site brings along
FROM_WORKER = "../../../../pypi/"                              # the site's wheels, as the kernel's worker sees them
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def without_answers(notebook):
    """The notebook without what its cells printed from a prediction on, up to the next words; pictures and questions stay."""
    hiding = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            hiding = False
        elif re.match(r"predict\(", cell.source):
            hiding = True
        elif hiding:
            cell.outputs = [output for output in cell.outputs if "image/png" in output.get("data", {})]
    return notebook


def settings(wheels, pyodide):
    """The site's jupyter-lite.json."""
    kernel = {"pyodideUrl": "./static/pyodide/pyodide.mjs" if pyodide else PYODIDE, "disablePyPIFallback": True,
              "loadPyodideOptions": {"packages": FROM_PYODIDE + [FROM_WORKER + name for name in wheels]}}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": {
        "appName": "Where is this word?", "appUrl": "./tree", "exposeAppInBrowser": True, "litePluginSettings": {KERNEL: kernel}}}


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check", "--no-deps"], check=True)


def build(out, pyodide=None):
    """Write the site into the folder out, which is emptied first. Raises RuntimeError with the builder's words if it fails."""
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        pip("download", "--only-binary=:all:", "--platform=any", "--dest", folder / "pypi", *PURE)
        pip("wheel", "--wheel-dir", folder / "pypi", ROOT)
        (folder / "contents").mkdir()
        for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
            nbformat.write(without_answers(nbformat.read(path, 4)), folder / "contents" / path.name)
        if pyodide:
            shutil.copytree(pyodide, folder / "static" / "pyodide")
        (folder / "jupyter-lite.json").write_text(json.dumps(settings(sorted(path.name for path in (folder / "pypi").glob("*.whl")), pyodide)))
        shutil.copy(ROOT / "jupyter" / "overrides.json", folder)
        (folder / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": {
            "contents": [str(folder / "contents")], "output_dir": str(Path(out).resolve()), "apps": ["lab", "notebooks", "tree"],
            "no_sourcemaps": True, "no_unused_shared_packages": True}}))
        for step in ("build", "check"):
            run = subprocess.run([sys.executable, "-m", "jupyterlite_core", step], cwd=folder, capture_output=True, text=True)
            if run.returncode:
                raise RuntimeError(f"jupyter lite {step} failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "_site" / "lite")
    parser.add_argument("--pyodide", type=Path, help="a folder made by tools/local_pyodide.py")
    options = parser.parse_args()
    build(options.out, options.pyodide)
    files = [path for path in options.out.rglob("*") if path.is_file()]
    print(f"{options.out}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
