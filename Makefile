# Python 3.11 and make are all that a fresh machine needs. `make up` serves, `make test` tests.

PYTHON ?= python3.11
PORT ?= 8000
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
PYTEST := $(BIN)/pytest -n 2 --dist worksteal
RELEASES := 0.1.1 0.1.2 0.1.3 0.2.0 0.3.0 0.4.0
SOURCES := manage.py stuckbot accounts policy tickets verification tests bench scripts

.PHONY: help setup up test check deep bench masking fmt interop-client

help:
	@echo "make up      set up, make a first organisation, serve on port $(PORT)"
	@echo "make test    the tests, on SQLite"
	@echo "make check   lint, types, import contract, migrations, API document, templates, deploy"
	@echo "make deep    the tests that run long, and mutants of what must not be wrong"
	@echo "make bench   the measurements of docs/benchmarks.md"
	@echo "make masking how well masking does on its corpus, and what it costs"
	@echo "make fmt     format the code"

setup: .venv/.ready

.venv/.ready: requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
		-r requirements.txt
	@touch $@

up: setup
	@PUBLIC_URL=$${PUBLIC_URL:-http://127.0.0.1:$(PORT)} $(MANAGE) bootstrap \
		--org "My org" --email admin@localhost --if-empty
	@PUBLIC_URL=$${PUBLIC_URL:-http://127.0.0.1:$(PORT)} exec $(MANAGE) serve --port $(PORT)

test: setup interop-client
	@echo "On SQLite. Left out: tests marked postgres, services and browser (.ci/run takes them all)"
	@echo "and tests marked deep (make deep)."
	@env -u DATABASE_URL $(PYTEST)

check: setup
	@scripts/check

deep: setup interop-client
	@$(PYTEST) -m deep || [ $$? -eq 5 ] # 5: none are marked
	@$(BIN)/python -m scripts.mutation

bench: setup
	@$(BIN)/python -m bench

masking: setup
	@$(BIN)/python -m bench.masking
	@$(BIN)/python -m bench.masking_cost

fmt: setup
	@$(BIN)/ruff check --quiet --fix $(SOURCES) || true
	@$(BIN)/ruff format $(SOURCES)

# The public client, apart from the project: both are called stuckbot.
interop-client: var/interop/.ready $(RELEASES:%=var/interop-%/.ready)

var/interop/.ready: requirements-interop.txt | setup
	@rm -rf var/interop
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
		--target var/interop -r requirements-interop.txt
	@touch $@

# Its older releases, which agents out there still run.
var/interop-%/.ready: tests/interop/releases/%.txt | setup
	@rm -rf var/interop-$*
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
		--target var/interop-$* -r $<
	@touch $@
