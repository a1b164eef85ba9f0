# The README's two commands. Each does its own set-up in .venv; nothing else is touched.
BIN := .venv/bin

.PHONY: demo test lint types unit benchmarks wheel clean

demo:            ## start the example chatbot, let simulated users talk to it, show the report
	@.ci/setup demo
	@$(BIN)/python examples/pizzeria/demo.py

test:            ## everything that continuous integration runs
	@.ci/setup dev
	@.ci/chromium
	@$(MAKE) --no-print-directory lint types unit benchmarks
	@$(BIN)/python examples/pizzeria/demo.py --no-open
	@$(MAKE) --no-print-directory wheel

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types:
	$(BIN)/mypy
	$(BIN)/pyright

unit:
	$(BIN)/pytest --numprocesses 2 --ignore tests/benchmarks

benchmarks:
	$(BIN)/pytest tests/benchmarks

wheel:
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	@ls dist

clean:
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
