# Everything starts from a virtual environment of our own; `make demo` and `make test` need only
# Python 3.11+ with venv, make and a C++ compiler.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard native/*.cpp native/*.hpp) CMakeLists.txt

.PHONY: demo test lint types check faults bench reproduce validate soak fuzz clean

demo: $(VENV)/.installed
	$(BIN)/poolwise demo --output out/demo

test: lint types check

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

check: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2

faults: $(VENV)/.installed-dev
	$(BIN)/python tests/planted_faults.py

bench: $(VENV)/.installed-bench
	$(BIN)/python -m bench

reproduce: $(VENV)/.installed-dev
	$(BIN)/python -m reproduce $(if $(DATA),--data $(DATA))

validate: $(VENV)/.installed-dev
	$(BIN)/python -m validate $(if $(DATA),--data $(DATA))

soak: $(VENV)/.installed-dev
	POOLWISE_GRADINGS=1000000 $(BIN)/pytest -q -n 2 tests/properties/test_bounds_hold.py

fuzz:
	$(MAKE) -C native fuzz

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml $(NATIVE)
	$(BIN)/pip install --quiet --editable '.[report]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml $(NATIVE)
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(VENV)/bin/python pyproject.toml $(NATIVE)
	$(BIN)/pip install --quiet --editable '.[bench]'
	touch $@ $(VENV)/.installed $(VENV)/.installed-dev

clean:
	rm -rf $(VENV) build dist out
