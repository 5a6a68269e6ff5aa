# tableref: everything a person types. `make demo` is the place to start.

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input
RENDERS ?= ../shared/renders

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev chromium axe demo wheel test check deep quick compiled suite lint types took peers bench lock clean

help:
	@echo "make demo   watch a table being refereed (sets up first; no camera needed)"
	@echo "make setup  create $(VENV) and install what tableref needs"
	@echo "make wheel  one file that installs tableref without this folder: dist/tableref-….whl"
	@echo "make test   every check and every behaviour once, those of the page in a real Chromium (sets up first)"
	@echo "make check  lint, types and the quick tests: before every commit"
	@echo "make deep   the same tests with the volume that proves, as long as it takes: before an issue is called done"
	@echo "make lint   style, types and import contracts only"
	@echo "make types  the types of the pages' scripts, by the TypeScript compiler (left out where npx is missing)"
	@echo "make bench  measure again what README says: against truth, and against named peers"
	@echo "make lock   resolve the dependencies anew into the two lock files"
	@echo "make clean  remove $(VENV) and every cache"

# --- Set-up -----------------------------------------------------------------------------------

# A candidate counts only if it runs: version managers leave commands that do not. The system's own comes first of
# each version: it is compiled by what a profile told, a version manager's mostly is not and takes a tenth longer.
PYTHONS := $(foreach version,3.13 3.14 3.12 3.11,/usr/bin/python$(version) python$(version)) python3 python
$(PY):
	@without=; for python in $(PYTHON) $(PYTHONS); do \
	  if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; then \
	    if ! $$python -c 'import ensurepip, venv' >/dev/null 2>&1; then without=$${without:-$$python}; continue; fi; \
	    echo "Creating $(VENV) with $$($$python --version)"; \
	    exec $$python -m venv --clear $(VENV); \
	  fi; \
	done; \
	if [ -n "$$without" ]; then \
	  echo "$$without cannot make virtual environments: install its venv package" \
	    "(on Debian, Ubuntu, Raspberry Pi OS: sudo apt-get install python3-venv) and try again." >&2; \
	  exit 1; \
	fi; \
	echo "tableref needs Python 3.11, 3.12, 3.13 or 3.14 and found none of them." \
	  "Install one, or name it: make setup PYTHON=/path/to/python3.12" >&2; \
	exit 1

# The stamps say what is installed; the lock files hold hashes, so pip refuses anything else.
$(VENV)/.installed: requirements.lock pyproject.toml | $(PY)
	@echo "Installing what tableref needs into $(VENV) (about 100 MB, once)"
	@$(PIP) install --quiet --only-binary :all: --require-hashes -r requirements.lock
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	@echo "Installing what the tests need into $(VENV)"
	@$(PIP) install --quiet --only-binary :all: --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.installed

setup-dev: $(VENV)/.installed-dev

# The page is tested in a real browser. Chromium's headless shell is the same engine without its windows and costs a
# fifth less: Debian's is asked for once. Else a Chromium that is there, Debian's, or Playwright's own shell does as well.
CHROMIUMS := chromium-headless-shell chromium chromium-browser google-chrome
INSTALL := DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq --no-install-recommends
AS_ROOT := [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null
$(VENV)/.asked-for-shell: | $(VENV)/.installed-dev
	@if ! command -v chromium-headless-shell >/dev/null && $(AS_ROOT); then \
	  { timeout 120 apt-get update -qq && $(INSTALL) chromium-headless-shell; } >/dev/null 2>&1 || :; fi; touch $@

chromium: setup-dev $(VENV)/.asked-for-shell
	@for browser in $(CHROMIUMS); do command -v $$browser && exit; done; \
	if $(AS_ROOT); then $(INSTALL) chromium; else $(PY) -m playwright install --only-shell chromium; fi || { \
	  echo "No Chromium could be found or fetched; the tests of the page need one." \
	    "Install Chromium or Chrome and run make test again." >&2; exit 1; }

# What it finds wrong with the pages is asked in the tests, where npm can fetch it.
AXE := axe-core@4.14.1
$(VENV)/.installed-axe: | $(VENV)/.installed-dev
	@if npm install --prefix $(VENV) --no-save --no-audit --no-fund --ignore-scripts --loglevel=error $(AXE); then touch $@; \
	else echo "The pages are not looked through by axe-core: npm is missing or cannot fetch it." >&2; fi

axe: $(VENV)/.installed-axe

# --- Use --------------------------------------------------------------------------------------

demo: setup
	$(VENV)/bin/tableref demo

wheel: setup
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@echo "Install it with: pipx install ./dist/tableref-$$($(PY) -c 'from importlib.metadata import version; print(version("tableref"))')-py3-none-any.whl"

# --- Checks -----------------------------------------------------------------------------------

lint: setup-dev
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# The pages run as they are; only their types are checked, with a compiler that nothing else needs.
TSC := npx --yes --package typescript@5 tsc
types:
	@$(TSC) --project server/static/jsconfig.json || { if $(TSC) --version >/dev/null 2>&1; then exit 1; \
	else echo "The types of the pages' scripts are not checked: npx is missing or cannot fetch TypeScript." >&2; fi; }

# A process a core and two more, as browsers and servers wait for one another; each takes whole files, so that what
# a file's tests share is made once; those that took longest begin (tests/took.json, which `make took` writes anew).
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 2)))
PYTEST := $(PY) -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

quick: compiled
	$(PYTEST) --quick

check:
	@$(MAKE) --no-print-directory setup-dev
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint types quick

# In a fresh folder each worker would compile every module, at the same time; and all would do so once more in each
# run, and in each command that a test starts, where it is forbidden to keep what was compiled. Tests are compiled by
# pytest, as it collects them.
suite quick compiled: export PYTHONDONTWRITEBYTECODE :=
compiled: setup-dev
	@$(PY) -m compileall -q -j 2 -x '/(test_[^/]*|conftest)[.]py$$' engine calibration vision server benchmarks samples tests
	@ls tests/__pycache__/*-pytest-*.pyc >/dev/null 2>&1 || $(PY) -m pytest --collect-only -qq >/dev/null

suite: compiled
	$(PYTEST)

test: chromium axe
	@.ci/green test $(MAKE) --no-print-directory --jobs 2 suite lint types

deep: chromium axe
	@TABLEREF_DEEP=1 .ci/green deep $(MAKE) --no-print-directory --jobs 2 lint types suite

took: chromium axe
	$(PYTEST) --keep-took

# Named peers that nothing else needs. Where one has no wheel, its rows are left out.
peers: setup-dev
	@for peer in apriltag-python==3.4.5 locus-tag==0.10.0; do \
	  $(PIP) install --quiet --only-binary :all: --no-deps $$peer || echo "Not compared with: $$peer" >&2; done

bench: peers
	$(PY) -m benchmarks.renders $(RENDERS)
	$(PY) -m benchmarks.renders $(RENDERS) --lens $(RENDERS)/boards
	$(PY) -m benchmarks.renders $(RENDERS) --no-ruler
	$(PY) -m benchmarks.renders $(RENDERS) --no-lens
	$(PY) -m benchmarks.sight
	$(PY) -m benchmarks.traffic --jams 2000
	$(PY) -m benchmarks.shoves
	$(PY) -m benchmarks.startup
	$(PY) -m benchmarks.reading --quick
	$(PY) -m benchmarks.record --quick
	$(PY) -m benchmarks.manoeuvres
	$(PY) -m benchmarks.manoeuvres --camera 30

# --- Upkeep -----------------------------------------------------------------------------------

COMPILE := $(VENV)/bin/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
  --only-binary :all: --no-header --group build

lock: setup-dev
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --group dev --constraints requirements.lock --output-file requirements-dev.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .schemathesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
