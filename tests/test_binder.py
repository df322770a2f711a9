"""The way in through Binder: what its builder makes of `binder/`, and the replay of those steps (`make test-binder`).

No container engine is needed: the builder prints its Dockerfile, and a wrong folder would print one just as readily, so
the text itself is read.
"""

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Binder builds on Linux, and its builder runs there")


def dockerfile(folder):
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "--user-id", "1000", "--user-name", "jovyan", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr


def commands(text):
    """The RUN lines that depend on this repository, in order."""
    after = text[text.index("src/binder/requirements.txt"):]
    return [line.removeprefix("RUN ") for line in after.splitlines() if line.startswith("RUN ")]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The files git knows, as a Binder would clone them."""
    folder = tmp_path_factory.mktemp("binder") / "course"
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in names:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def text(checkout):
    return dockerfile(checkout)


def test_the_builder_reads_our_folder_and_our_python(text):
    assert "python=3.12" in text
    assert "src/binder/requirements.txt" in text


def test_it_installs_our_requirements_and_runs_our_scripts(text):
    lines = "\n".join(commands(text))
    assert 'pip install --no-cache-dir -r "binder/requirements.txt"' in lines
    assert "./binder/postBuild" in lines
    assert 'R2D_ENTRYPOINT="${REPO_DIR}/binder/start"' in text


def test_reading_the_text_can_fail(checkout, tmp_path):
    """A folder without our files builds too: only the text tells."""
    (tmp_path / "notebooks").mkdir()
    assert "binder/postBuild" not in dockerfile(tmp_path)


def test_it_asks_for_the_versions_that_the_course_asks_for():
    def ranges(path):
        lines = (line.strip() for line in path.read_text().splitlines())
        return dict(re.match(r"([a-z]+)(.*)", line).groups() for line in lines if line and line[0] not in "#-")
    course, binder = ranges(ROOT / "requirements.txt"), ranges(ROOT / "binder/requirements.txt")
    assert {"numpy", "matplotlib", "ipywidgets", "anywidget"} <= set(binder)
    assert "jupyterlab" not in binder                   # the base image has it
    assert {name: r for name, r in binder.items() if name in course and course[name] != r} == {}


@pytest.mark.parametrize("script", ["postBuild", "start"])
def test_the_scripts_may_be_run(script):
    assert os.access(ROOT / "binder" / script, os.X_OK)
    assert (ROOT / "binder" / script).read_text().startswith("#!/bin/bash\n")


@pytest.mark.binder
def test_the_replay_serves_and_runs_a_notebook(checkout, text, tmp_path):
    """In a clean environment with the base image's own versions: install, start the server, fetch and run a notebook."""
    builder = Path(importlib.util.find_spec("repo2docker").origin).parent
    lock = (builder / "buildpacks/conda/environment.py-3.12-linux-64.lock").read_text()
    pins = [f"{name}=={re.search(rf'/{name}-([0-9.]+)-', lock)[1]}" for name in ("jupyterlab", "notebook", "ipywidgets")]
    venv = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    environment = {**os.environ, "PATH": f"{venv}/bin:{os.environ['PATH']}", "KERNEL_PYTHON_PREFIX": str(venv),
                   "REPO_DIR": str(checkout), "HOME": str(tmp_path)}
    subprocess.run([venv / "bin/pip", "install", "--quiet", *pins], check=True, env=environment)
    for command in commands(text):
        subprocess.run(command, shell=True, check=True, cwd=checkout, env=environment)
    settings = venv / "share/jupyter/lab/settings/overrides.d/pe-course.json"
    assert json.loads(settings.read_text())["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [checkout / "binder/start", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root",
         "--IdentityProvider.token=replay"], cwd=checkout, env=environment, stderr=subprocess.DEVNULL)
    try:
        page = fetch(f"http://127.0.0.1:{port}/lab/tree/my_course/00_start_here.ipynb?token=replay", server)
        assert "jupyter-config-data" in page
        subprocess.run(["jupyter", "execute", checkout / "my_course/00_start_here.ipynb"], check=True, env=environment, timeout=300)
        threads = subprocess.run([checkout / "binder/start", "printenv", "OPENBLAS_NUM_THREADS"], env=environment,
                                 capture_output=True, text=True, check=True).stdout.strip()
        assert threads == "1"
    finally:
        server.terminate()
        server.wait(30)


def fetch(url, server, seconds=60):
    for _ in range(seconds * 2):
        assert server.poll() is None, "the server stopped"
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                return answer.read().decode()
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"no answer from the server in {seconds} s")
