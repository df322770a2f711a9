"""The small tools behind `make`: what is missing, where Chromium is, the oldest versions."""

import builtins
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import chromium
import oldest
import pytest
from notebook_kit import ROOT


def missing(monkeypatch, capsys, version=(3, 11, 0), without=None, arguments=()):
    """What tools/check_python.py prints under another Python."""
    real = builtins.__import__

    def fake(name, *args, **kwargs):
        if name == without:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(sys, "argv", ["check_python.py", *arguments])
    monkeypatch.setattr(builtins, "__import__", fake)
    runpy.run_path(str(ROOT / "tools" / "check_python.py"))
    return capsys.readouterr().out


def test_nothing_is_missing(monkeypatch, capsys):
    assert missing(monkeypatch, capsys) == ""


def test_an_old_python_is_named_in_one_line(monkeypatch, capsys):
    said = missing(monkeypatch, capsys, version=(3, 10, 4))
    assert "3.11" in said
    assert "3.10" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_missing_venv_is_named_in_one_line_unless_uv_makes_it(monkeypatch, capsys, module):
    said = missing(monkeypatch, capsys, without=module)
    assert "python3-venv" in said
    assert said.count("\n") == 1
    assert missing(monkeypatch, capsys, without=module, arguments=["uv"]) == ""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_stops_in_one_line_where_there_is_no_python(tmp_path):
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # as if no make ran this test
    run = subprocess.run(["make", "lab", f"VENV={tmp_path / 'venv'}", "PYTHON=no-such-python"],
                         cwd=ROOT, env=outside, capture_output=True, text=True)
    assert run.returncode != 0
    assert "no-such-python does not run" in run.stderr
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


def test_the_environments_chromium_goes_first(monkeypatch):
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert chromium.find_chromium() == sys.executable
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    assert chromium.find_chromium() is None


def test_no_chromium_no_path(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(chromium.shutil, "which", lambda name: None)
    monkeypatch.setattr(chromium, "PLACES", ())
    assert chromium.find_chromium() is None


def test_every_requirement_has_an_oldest_version():
    for name in ("requirements.txt", "tests/requirements.txt"):
        text = (ROOT / name).read_text(encoding="utf-8")
        wanted = [line for line in text.splitlines() if line and not line.startswith(("#", "-e"))]
        assert len(oldest.constraints(text)) == len(wanted)
    assert oldest.constraints("numpy>=1.26,<3\n-e .\n# x>=1\n") == ["numpy==1.26"]


def test_the_library_and_the_course_ask_for_the_same_oldest_versions():
    def bounds(name):
        return dict(re.findall(r"([a-z-]+)>=([0-9.]+)", (ROOT / name).read_text(encoding="utf-8")))
    ours, course = bounds("pyproject.toml"), bounds("requirements.txt")
    shared = ours.keys() & course.keys()
    assert shared >= {"numpy", "matplotlib", "ipywidgets", "anywidget"}
    assert {name: ours[name] for name in shared} == {name: course[name] for name in shared}


def test_the_installed_settings_are_ours():
    """JupyterLab reads this folder of the environment; an old copy is renewed by installing again."""
    installed = Path(sys.prefix) / "share/jupyter/lab/settings/overrides.d/pe-course.json"
    assert installed.read_text(encoding="utf-8") == (ROOT / "jupyter/overrides.json").read_text(encoding="utf-8")
