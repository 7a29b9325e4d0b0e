# Order Matters. `make help` lists what there is; every target installs what it needs, once.

PYTHON ?= python3
PIP_FLAGS ?=
VENV := .venv
BIN := $(VENV)/bin
# What a learner, an instructor and a maintainer need: extras of pyproject.toml, each with those before.
LAB := $(VENV)/installed-lab
GRADING := $(VENV)/installed-lab,grading
READY := $(VENV)/installed-lab,grading,site,test
LOCKS := requirements.lock requirements-no-deps.lock
PORT ?= 8888
SITE ?= 8000
OUT ?= graded
# conftest.py orders and shares the tests; a process that dies ends the run, which else would wait.
TESTS := $(BIN)/python -m pytest -n 4 --no-loadscope-reorder --max-worker-restart 0
# The allocator keeps what is freed, as a GPU's does: else the kernel's clearing of fresh pages, half
# of a step at T = 4,096, falls now on one form and now on another.
KEEPS := MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=68719476736

.DEFAULT_GOAL := help
.PHONY: help demo test quick nightly plain desk probes promises colab lab work grade build check style study bench gpu table site serve lock clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | \
		awk -F '\t' '{ printf "make %-9s %s\n", $$1, $$2 }'

demo: $(GRADING) ## a tour: build the notebooks, train for a minute, grade a synthetic class
	@$(BIN)/course demo

# One thread each: threads of their own would only get in the way of others.
probes colab: export OMP_NUM_THREADS = 1
quick: $(READY) ## what your change can break, in a minute
	@$(BIN)/python -m tests.everything quick

test: $(READY) ## style, types, drift, and a sample of all tests, in ten minutes
	@$(BIN)/python -m tests.everything test

nightly: $(READY) ## all tests there are (an hour)
	@$(BIN)/python -m tests.everything nightly

plain: export TIER = test
plain: $(READY) ## the tests that differ where there is neither bubblewrap nor Chromium
	@tools/without.sh bwrap chromium google-chrome -- $(TESTS) tests/course/authoring \
		tests/course/sandbox tests/course/pages tests/course/report tests/course/test_doctor.py \
		tests/course/test_privileges.py tests/browser tests/course/grading/test_grade.py

desk: export TIER = test
desk: $(READY) ## the tests of what runs on a learner's machine
	@$(TESTS) --nbval-lax --nbval-current-env --nbval-cell-timeout 600 solutions tests/checks \
		tests/corpora tests/encodings tests/model tests/notebooks tests/training tests/test_widgets.py \
		tests/course/test_lab.py tests/course/test_work.py

probes: export SEEDS ?= 2
probes: $(READY) ## try all answers whose marks are known: make probes [UNITS="02-sinusoidal"]
	@$(BIN)/python -m tests.probes $(UNITS)

colab: $(READY) ## run published units with Colab's versions: make colab [UNITS=…] (internet)
	@$(BIN)/python -m tests.notebooks.colab $(UNITS)

promises: $(READY) ## what each exercise promises, and the cases that hold it: make promises [UNITS=…]
	@$(BIN)/python -m tests.promises $(UNITS)

lab: $(LAB) ## open JupyterLab on your own copies of the units, in work/ (PORT=8888)
	@$(BIN)/course lab --port $(PORT)

work: $(LAB) ## bring a newer release into work/, keeping what you wrote
	@$(BIN)/course work

grade: $(GRADING) ## autograde a folder: make grade SUBMISSIONS=folder [OUT=graded]
	@test -n "$(SUBMISSIONS)" || { echo "say which folder: make grade SUBMISSIONS=folder"; exit 1; }
	@$(BIN)/course grade "$(SUBMISSIONS)" --out "$(OUT)"

build: $(GRADING) ## rebuild notebooks/ and solutions/ from source/
	@$(BIN)/course build

check: $(GRADING) ## name every notebook that is not what its source says
	@$(BIN)/course build --check

table: $(READY) ## rewrite docs/: encodings with oracles, claims, unit 08's runs, a GPU's, packages
	@$(BIN)/python -m tests.encodings.table
	@$(BIN)/python -m helpers.claims.table
	@$(BIN)/python -m helpers.claims.questions
	@$(BIN)/python -m benchmarks.mini_bert_page
	@$(BIN)/python -m benchmarks.gpu_page
	@$(BIN)/python -m tests.project.architecture

site: $(READY) ## write the course as web pages into build/site
	@$(BIN)/python -m web

serve: site ## show them at http://127.0.0.1:8000 (SITE=8000)
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(SITE)

style: $(READY) ## format the code
	@$(BIN)/python -m ruff format --exclude source .
	@$(BIN)/python -m ruff check --fix .

study: $(READY) ## repeat the recorded sweeps under benchmarks/results (minutes)
	@for study in benchmarks/*_study.py; do \
		$(BIN)/python -m benchmarks.$$(basename $$study .py) || exit 1; done

bench: $(READY) ## time and memory beside other libraries, into benchmarks/results (minutes)
	@$(KEEPS) KINETO_LOG_LEVEL=99 $(BIN)/python -m benchmarks.relative_attention
	@$(BIN)/python -m benchmarks.mini_bert
	@$(BIN)/python -m benchmarks.mini_bert_forms
	@$(BIN)/python -m benchmarks.english_minutes
	@$(BIN)/python -m benchmarks.full_profile
	@$(BIN)/python -m benchmarks.generation
	@$(BIN)/python -m benchmarks.sliders
	@$(BIN)/python -m benchmarks.live_start
	@$(BIN)/python -m benchmarks.grading
	@$(BIN)/python -m benchmarks.grading_memory

gpu: $(READY) ## what only a GPU can show, on a machine with CUDA: times, tests, records (seven minutes)
	@$(BIN)/python -m benchmarks.gpu

lock: ## renew requirements.lock from pyproject.toml in a fresh environment
	@tools/lock.sh "$(PYTHON)"

clean: ## remove the environment and everything built but not committed
	@rm -rf $(VENV) build graded

$(VENV)/installed-%: pyproject.toml $(LOCKS)
	@"$(PYTHON)" -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "$(PYTHON) is missing" \
		"or too old. Install Python 3.11 or newer, or name one: make demo PYTHON=python3.12" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { rm -f $(BIN)/python*; "$(PYTHON)" -m venv $(VENV); }
	@echo "Installing into $(VENV), which takes some minutes the first time. The largest package is PyTorch;" \
		"docs/starting.md says how to do without its GPU libraries."
	$(BIN)/python -m pip install $(PIP_FLAGS) -c requirements.lock -e ".[$*]"
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-deps -r requirements-no-deps.lock
	@touch $(foreach each,$(LAB) $(GRADING) $(READY),$(if $(findstring $(each),$@),$(each)))
