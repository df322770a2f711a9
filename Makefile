# make lab    open your own copy       make test   run every test
# Another Python: make lab PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
UV := $(shell command -v uv 2>/dev/null)
WORKERS ?= logical
SITE_VENV := .venv-site
SITE_PY := $(SITE_VENV)/bin/python

ifdef UV
  NEW_VENV = uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
  INSTALL = uv pip install --quiet --python $(PY)
else
  NEW_VENV = $(PYTHON) -m venv $(VENV)
  INSTALL = $(PY) -m pip install --quiet --disable-pip-version-check
endif
# Empty when this Python will do, else one line that says what is missing.
MISSING = $(shell { $(PYTHON) tools/check_python.py $(if $(UV),uv); } 2>/dev/null || \
  echo "$(PYTHON) does not run: install Python 3.11 or newer, or say where it is with PYTHON=...")

AS_ROOT = $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)
NO_BROWSER = $(shell [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ] && echo --no-browser)

.PHONY: lab test test-fast test-browser test-binder test-lite test-site lite site notebooks tour sheets bench train tables clean

lab: $(VENV)/.lab-installed
	@$(PY) tools/my_course.py --lab $(AS_ROOT) $(NO_BROWSER)

# Everything, the browser tests too where a Chromium is found; else the last line says that they did not run.
test: test-fast
	@if $(PY) tools/chromium.py >/dev/null; then $(MAKE) --no-print-directory test-browser; \
	else echo "No Chromium found: all but the browser tests ran (make test-browser says how to get one)."; \
	$(if $(REQUIRE_BROWSER),exit 1;) fi

# All cells of a notebook go to one worker: hence loadgroup. One numerical thread each: more only wait for one another.
test-fast: $(VENV)/.tests-installed
	OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -m "not browser and not binder" -n $(WORKERS) --dist loadgroup

test-browser: $(VENV)/.tests-installed
	@$(PY) tools/chromium.py
	$(PY) -m pytest -m browser tests/browser

test-binder: $(VENV)/.tests-installed
	$(PY) -m pytest -m binder tests/test_binder.py

# The course in the browser without a server, and as pages whose figures move: both go to _site. Any web server can hand it out.
lite: $(SITE_VENV)/.installed
	$(SITE_PY) tools/lite.py

site: $(SITE_VENV)/.installed
	$(SITE_PY) tools/pages.py

# Each notebook run whole in Chromium, with a Pyodide put together from npm and PyPI (ONLY=notebooks/00_start_here.ipynb: one of them).
test-lite: $(SITE_VENV)/.installed $(VENV)/.tests-installed
	$(SITE_PY) tools/local_pyodide.py build/pyodide
	$(SITE_PY) tools/lite.py build/lite --pyodide build/pyodide
	$(PY) tools/try_lite.py build/lite $(ONLY)

test-site: site $(VENV)/.tests-installed
	$(PY) tools/try_pages.py

notebooks: $(VENV)/.lab-installed
	$(PY) tools/notebooks.py

# The tour of one hour, cut from the chapters.
tour: $(VENV)/.lab-installed
	$(PY) tools/tour.py
	$(PY) tools/notebooks.py notebooks/tour_one_hour.ipynb

# The printable page, and the moving picture of the README.
sheets: $(VENV)/.lab-installed
	$(PY) tools/cheat_sheet.py
	$(PY) tools/animation.py

bench: $(VENV)/.tests-installed
	$(PY) tools/bench.py sliders

# The decoders of chapter 9 and their tables, from nothing: a quarter of an hour. PyTorch goes to an environment of its own.
train:
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet -r tools/requirements-train.txt
	OPENBLAS_NUM_THREADS=1 .venv-train/bin/python tools/train.py
	$(MAKE) --no-print-directory tables

# The tables alone, in NumPy.
tables: $(VENV)/.lab-installed
	OPENBLAS_NUM_THREADS=1 $(PY) tools/evaluate.py
	OPENBLAS_NUM_THREADS=1 $(PY) tools/evaluate_faults.py

clean:
	rm -rf $(VENV) .venv-train $(SITE_VENV) _site .pytest_cache .hypothesis dist build
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.lab-installed: requirements.txt pyproject.toml jupyter/overrides.json
	$(if $(MISSING),$(error $(MISSING)))
	@echo "Installing what the course needs into $(VENV), once (about a minute) ..."
	@$(NEW_VENV)
	@$(INSTALL) -r requirements.txt
	@touch $@

$(SITE_VENV)/.installed: tools/requirements-site.txt pyproject.toml
	$(if $(MISSING),$(error $(MISSING)))
	@echo "Installing what the sites need into $(SITE_VENV), once ..."
	@$(PYTHON) -m venv $(SITE_VENV)
	@$(SITE_PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements-site.txt
	@touch $@

$(VENV)/.tests-installed: $(VENV)/.lab-installed tests/requirements.txt
	@$(INSTALL) -r tests/requirements.txt
	@touch $@
