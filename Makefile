# Set-up, training and checks; CONTRIBUTING.md explains them.
#
#   make train   set up, train on BraveRats for two minutes, print how strong the policy is
#   make test    set up, run all tests
#   make site    set up, build the documentation as a site in build/site
#
# PYTHON chooses the interpreter (3.10 or newer), VENV the folder of the virtual environment.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq

# Stamps: each is written when its step is complete, so that an interrupted one is done again.
CREATED := $(VENV)/created
TRAINING := $(VENV)/set-up-for-training
DEVELOPMENT := $(VENV)/set-up-for-development

.PHONY: train test lint docs docs-check site recipes bench clean help

train: $(TRAINING)
	$(BIN)/rat-envs train brave_rats --minutes 2

test: $(DEVELOPMENT)
	$(BIN)/pytest -n auto --dist worksteal --durations 20

lint: $(DEVELOPMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(DEVELOPMENT)
	$(BIN)/python -m rat_envs.docs

docs-check: $(DEVELOPMENT)
	$(BIN)/python -m rat_envs.docs --check

# Notebooks are run when they or the code have changed, which takes minutes; NOTEBOOKS=no shows their last results.
NOTEBOOKS ?= run
site: $(DEVELOPMENT)
	RAT_ENVS_SITE_NOTEBOOKS=$(NOTEBOOKS) NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open build/site/index.html; searching needs a server: $(BIN)/python -m http.server --directory build/site"

# Takes five to fifteen minutes and some gigabytes; what has a result is not run again.
recipes: $(DEVELOPMENT)
	$(BIN)/python -m rat_envs.recipes

bench: $(DEVELOPMENT)
	$(BIN)/rat-envs bench

# What was learnt stays: it is in runs/.
clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:
	@sed -n 's/^#   //p' Makefile

$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and \
		"Error: this is Python " + sys.version.split()[0] + ", 3.10 or newer is needed: make PYTHON=/path/to/python3")'
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip # newer ones take half the time for what follows
	@touch $@

$(TRAINING): pyproject.toml constraints.txt | $(CREATED)
	@echo "Installing what training needs, which takes some minutes the first time ..."
	@$(PIP) install -c constraints.txt -e '.[training,render]'
	@touch $@

$(DEVELOPMENT): pyproject.toml constraints.txt | $(CREATED)
	@echo "Installing what the checks need, which takes some minutes the first time ..."
	@$(PIP) install -c constraints.txt -e '.[development]'
	@touch $@ $(TRAINING)
