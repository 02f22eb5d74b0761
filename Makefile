# Everything a checkout can do. Needed: make, Python 3.11 or newer with its venv module, nothing else.

PYTHON ?= python3
PORT ?= 8000
export PORT

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
PACKAGES := eventstore players ledger games tournaments web tonk_site clients tools benchmarks tests
# Two workers pay once the suite takes longer than half a minute.
WORKERS ?= 2
PROVED ?= proved.ndjson

.PHONY: run test test-full coverage mutants planted prove-full setup setup-dev demo bench lint types arch docs requirements requirements-check help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' $(firstword $(MAKEFILE_LIST)) | while read -r name words; do \
	  printf 'make %-20s %s\n' "$$name" "$$words"; done

run: .venv/.runtime ## start everything at http://127.0.0.1:8000 (PORT=8100 for another); Ctrl-C stops it
	@exec $(BIN)/python manage.py up

test: .venv/.dev ## the test suite, without what takes long (WORKERS=2 processes)
	@exec $(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

# With everything that takes long: all checks of `manage.py prove --quick`, planted faults, launchers.
test-full: .venv/.dev ## all of it: every quick check, planted faults, launchers
	@exec $(BIN)/python -m pytest -n $(WORKERS)

coverage: .venv/.dev ## the whole suite, and what it does not reach
	@rm -f .coverage*
	@$(BIN)/python -m coverage run -m pytest -n $(WORKERS)
	@$(BIN)/python -m coverage combine --quiet
	@$(BIN)/python -m coverage report

mutants: .venv/.mutants ## change the rules in small ways; count what no test notices
	@rm -rf mutants
	@HYPOTHESIS_PROFILE=ci $(BIN)/mutmut run
	@$(BIN)/python -m tools.mutants

# Faults put in from outside, which the checks of `manage.py prove` must notice.
planted: .venv/.dev ## put faults in, and see the checks notice them
	@exec $(BIN)/python -m tests.planted

# Every promise at its full size, as before a release: hours. The lines are published with it.
prove-full: .venv/.dev ## every promise at full size, for a release: hours
	@exec $(BIN)/python manage.py prove --full --out $(PROVED)

demo: .venv/.runtime ## a tournament from registration to settled prizes, then verified
	@exec $(BIN)/python manage.py demo

bench: .venv/.bench ## measure, beside limits and peers
	@exec $(BIN)/python -m benchmarks

setup: .venv/.runtime ## install what running needs, and no more

setup-dev: .venv/.dev ## install what developing needs too

lint: .venv/.dev ## form and style (ruff)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: .venv/.dev ## types (mypy)
	@$(BIN)/mypy manage.py $(wildcard $(PACKAGES))

arch: .venv/.dev ## directions of imports
	@$(BIN)/lint-imports

docs: .venv/.dev ## links and generated pages of the documents
	@$(BIN)/python -m tools.documents
	@echo "the documents are in order"

requirements: .venv/.dev ## compile the pinned requirements
	@$(BIN)/python tools/requirements.py compile

requirements-check: .venv/bin/python ## whether they are those of pyproject.toml
	@$(BIN)/python tools/requirements.py check
	@echo "the requirements are those of pyproject.toml"

# --- The virtual environment: a stamp for each set of packages -------------------------------------

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; $(PYTHON) is older or missing: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "making .venv ..."
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	  echo "$(PYTHON) has no venv module: install the package python3-venv (as root: apt install python3-venv)" >&2; exit 1; }

.venv/.runtime: requirements.txt | .venv/bin/python
	@echo "installing the packages of requirements.txt ..."
	@$(PIP) -r requirements.txt
	@touch $@

.venv/.dev: requirements-dev.txt | .venv/.runtime
	@echo "installing the packages of requirements-dev.txt ..."
	@$(PIP) -r requirements-dev.txt
	@touch $@

.venv/.mutants: requirements-mutants.txt | .venv/.dev
	@echo "installing the packages of requirements-mutants.txt ..."
	@$(PIP) -r requirements-mutants.txt
	@touch $@

.venv/.bench: requirements-bench.txt | .venv/.runtime
	@echo "installing the packages of requirements-bench.txt ..."
	@$(PIP) --no-binary rlcard,django-hordak -r requirements-bench.txt
	@touch $@
