# Every command sets up what it needs: a virtual environment in .venv, jars in the cache.
.DEFAULT_GOAL := help
.PHONY: help audit audit-quick known report gate gates frozen hunt fuzz reproduce reproduced findings extents site screenshots record test lint bench clean clean-cache
SHELL := /bin/bash

PYTHON  ?= $(shell command -v python3.11 || command -v python3)# the Python that makes .venv
XTABLE  ?= auto# release under audit: make audit XTABLE=0.4.0-incubating
READERS ?=# make audit READERS=all, or READERS=duckdb,polars; the five that come by pip by default, and for a gate Spark
WORKERS ?= auto# worker processes; WORKERS=0 for one process, as a debugger needs it
FROM    ?=# the release in use: make gate FROM=0.3.0-incubating TO=0.4.0-incubating
TO      ?=# the new release, or a bundled jar
FINDING ?=# a finding of docs/findings: make reproduce FINDING=XTF-004
JAR     ?=# a bundled jar with a fix of yours: make reproduce FINDING=XTF-004 JAR=a.jar
WARM    ?=# a warm JVM, which XTF-030 and XTF-061 need: make reproduce FINDING=XTF-030 WARM=1
RECOVER ?=# at the end drop what XTable wrote and sync anew: make reproduce FINDING=XTF-029 RECOVER=1
MAIN    ?=# a build of XTable's main in the local Maven repository: make reproduced MAIN=0.5.0-SNAPSHOT
RUNS    ?=# whole runs, the oldest release first
DOCUMENT ?= out/latest/audit.json# the run to draw: make report DOCUMENT=out/gate-…/to/latest/audit.json
ARGS    ?=# more of pytest's options: make audit ARGS="--scale 1"

VENV := .venv
BIN  := $(VENV)/bin

help: ## show this help
	@printf 'An audit of Apache XTable: can query engines trust its metadata to skip files?\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\n  XTABLE=%s READERS=%s WORKERS=%s ARGS=%s\n  pytest --help, section "XTable audit", lists all options\n' '$(XTABLE)' '$(READERS)' '$(WORKERS)' '$(ARGS)'

##@ Audit
audit: $(VENV)/.ready ## build the tables, translate them, check every claim, run the readers
	@$(BIN)/pytest -n $(WORKERS) --maxprocesses 4 --xtable $(XTABLE) $(if $(READERS),--readers $(READERS)) $(ARGS)

audit-quick: $(VENV)/.ready ## the same on recorded translations: no Java, no Spark
	@$(BIN)/pytest -n $(WORKERS) --maxprocesses 4 --recorded $(if $(READERS),--readers $(READERS)) $(ARGS)

known: $(VENV)/.ready ## one failing claim of every known finding, on recordings, in a minute
	@$(BIN)/pytest -n $(WORKERS) --maxprocesses 4 --recorded --each-finding-once $(ARGS)

report: $(VENV)/.ready ## draw report.html of a run again, beside its audit.json (DOCUMENT=…)
	@$(BIN)/python -m xtable_audit report "$(DOCUMENT)" $(ARGS)

gate: $(VENV)/.ready ## is this upgrade safe? make gate FROM=0.3.0-incubating TO=0.4.0-incubating (or TO=a.jar)
	@$(BIN)/python -m tools gate "$(FROM)" "$(TO)" -n $(WORKERS) --maxprocesses 4 $(if $(READERS),--readers $(READERS)) $(ARGS)

gates: $(VENV)/.ready ## the gate of every upgrade between the releases, for hours, into docs/gates/: make gates MAIN=0.5.0-SNAPSHOT
	@$(BIN)/python -m tools gate.every_upgrade $(if $(MAIN),--main $(MAIN)) -n $(WORKERS) --maxprocesses 4 $(if $(READERS),--readers=$(READERS)) $(ARGS)

hunt: $(VENV)/.ready ## draw histories of a table at random, and shrink the first that XTable gets wrong
	@$(BIN)/python -m tools hunt $(ARGS)

fuzz: $(VENV)/.ready-dev ## spoil files of healthy tables at random: 10,000 mutants, none may pass or break the judge
	@$(BIN)/python -m tools fuzz $(ARGS)

reproduce: $(VENV)/.ready ## one finding by plain Spark and XTable alone: make reproduce FINDING=XTF-004 (JAR=a.jar, FROM=0.3.0, WARM=1)
	@$(BIN)/python -m tools reproduce "$(FINDING)" $(if $(filter-out auto,$(XTABLE)),--xtable $(XTABLE)) $(if $(JAR),--jar "$(JAR)") $(if $(FROM),--from $(FROM)) $(if $(WARM),--warm) $(if $(RECOVER),--recover) $(ARGS)

reproduced: $(VENV)/.ready ## every finding at every release that it names, for hours; goes on where it was stopped
	@$(BIN)/python -m tools reproduce.every_finding $(if $(MAIN),--main $(MAIN)) $(ARGS)

site: $(VENV)/.ready ## README and docs/ as a static site in out/site: make site RUNS="a/audit.json b/audit.json" for the claims of its scoreboard
	@$(BIN)/python -m tools pages.site out/site $(RUNS)

screenshots: $(VENV)/.ready-dev ## write docs/images/ again: make screenshots DOCUMENT=out/latest/audit.json
	@$(BIN)/python -m tools pages.screenshots "$(DOCUMENT)"

findings: $(VENV)/.ready ## write docs/findings/ and docs/fields.md again, from findings.toml, its evidence and tools/pages/fields.toml
	@$(BIN)/python -m tools pages.findings $(ARGS)
	@$(BIN)/python -m tools pages.fields

extents: $(VENV)/.ready ## write findings.extents.json again: where each known finding shows, in how many files and columns
	@$(BIN)/python -m tools pages.extents $(ARGS)

record: $(VENV)/.ready ## write recordings/ again from real syncs of every release that resolves
	@$(BIN)/python -m lab.recording

##@ The suite itself
test: $(VENV)/.ready-dev ## the suite's own tests, including those that start Spark and XTable
	@$(BIN)/python -m lab.stack.class_data & $(BIN)/pytest tests -q -n 2 --dist loadfile --no-loadscope-reorder -rs $(ARGS); status=$$?; wait; exit $$status

lint: $(VENV)/.ready-dev ## ruff, mypy, and who may import whom
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo --no-cache

frozen: $(VENV)/.ready ## are the outcomes of runs as they are frozen? make frozen RUNS="out/latest check" (check: of recorded tables)
	@$(BIN)/python -m tools frozen compare $(or $(RUNS),out/latest check) $(ARGS)

bench: $(VENV)/.ready-dev ## measure the suite, as ratios within one run
	@$(BIN)/python -m tools benchmarks

clean: ## remove reports and the virtual environment
	rm -rf out $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

clean-cache: ## remove cached tables, translations and jars
	rm -rf "$${XTABLE_AUDIT_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/xtable-audit}"

$(VENV)/.made:
	@command -v "$(PYTHON)" >/dev/null || { echo "Python 3.11 is needed: make PYTHON=/path/to/python3.11"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is too old: 3.11 is needed"; exit 2; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV) && touch $@

$(VENV)/.ready: $(VENV)/.made requirements.txt
	@echo "installing requirements.txt into $(VENV) (about 1 GB the first time)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@
