# Every goal makes the environment first, once; `make VENV=folder test` puts it somewhere else.

PYTHON ?= python3
VENV ?= .venv
ASSIGNMENTS ?= $(notdir $(wildcard source/*))
PYTEST_ARGS ?=

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
export PATH := $(abspath $(BIN)):$(PATH)

.PHONY: help demo test lint release bench constraints clean
.DEFAULT_GOAL := help

help: ## show this
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: $(INSTALLED) ## from nothing to a graded class of twelve
	autograder data pull mnist
	autograder release lab08
	autograder demo

test: $(INSTALLED) ## every test; PYTEST_ARGS="-k attend" for some
	python -m pytest $(PYTEST_ARGS)

lint: $(INSTALLED) ## style, formatting, types
	ruff check .
	ruff format --check .
	mypy

release: $(INSTALLED) ## release/ and solutions/ from source/, for every assignment
	for name in $(ASSIGNMENTS); do autograder release "$$name" || exit; done

bench: $(INSTALLED) ## the figures of the benchmarks, against nbgrader and without a sandbox
	python -m benchmarks

constraints: $(INSTALLED) ## write constraints.txt from what is installed now, all extras included
	python -m pip install --quiet -e '.[dev,cluster]'
	{ sed -n '/^#/p' constraints.txt; python -m pip freeze --all --exclude pip --exclude-editable; } > constraints.new
	mv constraints.new constraints.txt
	touch $(INSTALLED)

clean: ## remove the environment and the caches; what was graded stays
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build *.egg-info

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install -c constraints.txt -e '.[dev]'
	touch $@
