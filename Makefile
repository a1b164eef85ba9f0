# The README's two commands. Each does its own set-up in .venv; nothing else is touched.
BIN := .venv/bin

# Where bytecode is not kept, each of many processes compiles everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint types mypy pyright collected unit thorough benchmarks played wheel docs site reference lock sbom clean

demo:            ## start the example chatbot, let simulated users talk to it, show the report
	@.ci/setup demo
	@$(BIN)/python examples/pizzeria/demo.py

test:            ## everything that continuous integration runs
	@.ci/setup dev
	@.ci/chromium
	@$(MAKE) --no-print-directory lint types unit benchmarks
	@$(MAKE) --no-print-directory -j3 site played wheel

played:          ## the demo, without a browser that opens
	@$(BIN)/python examples/pizzeria/demo.py --no-open

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --strict-collection --quiet --config .github/zizmor.yml .github/workflows

types:           ## each checker takes one core; the one that ends first leaves it to the tests
	@$(MAKE) --no-print-directory -j3 mypy pyright collected

mypy:
	$(BIN)/mypy

pyright:
	$(BIN)/pyright

# pytest compiles its asserts in a form of its own. In a fresh checkout, each of three workers would
# compile the same 700 files at once: 20 seconds each where 8 are enough to collect what is compiled.
collected:
	@[ -n "$$(find tests -name '*-pytest-*.pyc' -print -quit)" ] || \
	  $(BIN)/pytest --collect-only --quiet --quiet --ignore tests/benchmarks >/dev/null || true

# Threads of numpy's in each of three workers would wait for each other.
unit: export OPENBLAS_NUM_THREADS ?= 1
unit:            ## worksteal: neighbours share a worker, and with it what they set up; a third waits less
	$(BIN)/pytest --numprocesses 3 --dist worksteal --ignore tests/benchmarks --durations 20 --durations-min 5

thorough:        ## all tests, with all that they take a part of; many more random examples
	$(BIN)/pytest --numprocesses 3 --dist worksteal --ignore tests/benchmarks -m "" --hypothesis-profile thorough
	$(BIN)/pytest tests/benchmarks -m ""

benchmarks:      ## one at a time: they measure
	$(BIN)/pytest tests/benchmarks

wheel:
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	@ls dist

docs:            ## the documentation as a site in build/docs with the gallery, links checked, offline
	@.ci/setup dev
	@.ci/chromium || true
	$(BIN)/python site/build.py
	@echo "open build/docs/index.html"

site:            ## the same without the gallery, half a minute: what continuous integration checks
	@.ci/setup dev
	$(BIN)/python site/build.py --no-gallery

reference:       ## the reference pages that are made from the code; commit what changes
	$(BIN)/python site/pages/generate.py

lock:            ## pin what CI and the release install, with hashes
	@.ci/setup dev
	@.ci/lock

sbom:            ## a CycloneDX bill of materials of what users install
	@.ci/setup dev
	@.ci/sbom

clean:
	rm -rf .venv .venv-release .venv-sbom dist sbom .pytest_cache .mypy_cache .ruff_cache .hypothesis
