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

help:
	@echo "make run     start everything at http://127.0.0.1:$(PORT)"
	@echo "make test    the test suite; make test-full adds what takes long"
	@echo "make demo    a tournament from registration to settled prizes, then verified"
	@echo "make setup coverage mutants planted prove-full bench lint types arch docs requirements requirements-check"

run: .venv/.runtime
	@exec $(BIN)/python manage.py up

test: .venv/.dev
	@exec $(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

# With everything that takes long: all checks of `manage.py prove --quick`, planted faults, launchers.
test-full: .venv/.dev
	@exec $(BIN)/python -m pytest -n $(WORKERS)

coverage: .venv/.dev
	@rm -f .coverage*
	@$(BIN)/python -m coverage run -m pytest -n $(WORKERS)
	@$(BIN)/python -m coverage combine --quiet
	@$(BIN)/python -m coverage report

mutants: .venv/.mutants
	@rm -rf mutants
	@HYPOTHESIS_PROFILE=ci $(BIN)/mutmut run
	@$(BIN)/python -m tools.mutants

# Faults put in from outside, which the checks of `manage.py prove` must notice.
planted: .venv/.dev
	@exec $(BIN)/python -m tests.planted

# Every promise at its full size, as before a release: hours. The lines are published with it.
prove-full: .venv/.dev
	@exec $(BIN)/python manage.py prove --full --out $(PROVED)

demo: .venv/.runtime
	@exec $(BIN)/python manage.py demo

bench: .venv/.bench
	@exec $(BIN)/python -m benchmarks

setup: .venv/.runtime

setup-dev: .venv/.dev

lint: .venv/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: .venv/.dev
	@$(BIN)/mypy manage.py $(wildcard $(PACKAGES))

arch: .venv/.dev
	@$(BIN)/lint-imports

docs: .venv/.dev
	@$(BIN)/python -m tools.documents
	@echo "the documents are in order"

requirements: .venv/.dev
	@$(BIN)/python tools/requirements.py compile

requirements-check: .venv/bin/python
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
