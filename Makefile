# The two commands: `make demo` and `make test`. Both set up a fresh Debian machine by themselves.
# Everything else is below; `make help` lists it.

.PHONY: all install setup demo test check bits bench soak fuzz coverage gallery format docs clean help setup-test map python jupyter mutate
MAKEFLAGS += --no-print-directory
QUIET := $(if $(V),,> /dev/null)
PREFIX ?= /usr/local
# WERROR=ON makes warnings errors, as .ci/run does; a compiler newer than ours must not stop a user
WERROR ?= OFF
configure = cmake --preset $(1) -DCMAKE_COMPILE_WARNING_AS_ERROR=$(WERROR) $(QUIET)
# builds the folder $(1), all or the target $(2); quiet unless something is wrong, or V=1
build_in = cmake --build $(1) $(if $(2),--target $(2)) $(if $(V),,> $(1)/build.log 2>&1 || { cat $(1)/build.log; exit 1; })

all: setup ## build the program: build/perp
	@$(call configure,release)
	@$(call build_in,build)

install: all ## install under PREFIX=/usr/local; packagers add DESTDIR=
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)" $(QUIET)

setup: ## install what is missing (Debian packages, the viewer's by npm)
	@tools/setup build

demo: all ## run the main job, print its summary with the certificate, show it in the browser
	@build/perp demo

test: setup-test all check ## all tests, optimised and under the sanitizers
	@$(call configure,debug)
	@$(call build_in,build-debug)
	@ctest --test-dir build --output-on-failure -j2 --no-tests=error
	@ctest --test-dir build-debug --output-on-failure -j2 --no-tests=error

python: setup ## a self-contained wheel of the Python package in build/wheel, tested in a fresh environment
	@tools/setup python
	@tools/wheel

jupyter: ## the notebooks in a real JupyterLab and browser, pictures in build/jupyter; after make python
	@tools/jupyter

setup-test:
	@tools/setup test

check: setup-test ## formatting, warnings of gcc and clang, undocumented names, dependencies, map, links
	@$(call configure,release)
	@tools/check_warnings gcc
	@tools/check_warnings clang
	@tools/reference $(QUIET)
	@tools/check_format
	@tools/check_layers
	@tools/map --check
	@tools/check_links
	@tools/gallery --check

bits: setup-test all ## do gcc and clang, all kernels and any number of threads come to the same bits?
	@tools/setup fuzz
	@$(call configure,clang)
	@$(call build_in,build-clang,same_bits)
	@bash tests/bits/test_bits.sh build/tests/same_bits* build-clang/tests/same_bits

bench: ## build the peers' adapters and run a quick selection; perp bench NAME runs the whole
	@tools/setup bench
	@$(call configure,bench)
	@$(call build_in,build)
	@build/perp bench

soak: setup-test all ## recordings and studies under faults: kills at every call and at random, full disks, Slurm's nodes
	@/usr/bin/python3 tests/faults/soak.py build/perp build/tests/faults.so calls --seconds 0.006
	@/usr/bin/python3 tests/faults/soak.py build/perp build/tests/faults.so kills --rounds 200 --seconds 0.2
	@/usr/bin/python3 tests/faults/soak.py build/perp build/tests/faults.so full --rounds 50 --seconds 0.1
	@/usr/bin/python3 tests/faults/sweep.py build/perp build/tests/faults.so build/tests/trap.so kills 50
	@/usr/bin/python3 tests/slurm/test_slurm.py build/perp limit
	@/usr/bin/python3 tests/slurm/test_slurm.py build/perp kills 50

fuzz: ## fuzz the file readers, FUZZ_SECONDS each (default 60)
	@tools/setup fuzz
	@tools/fuzz $(or $(FUZZ_SECONDS),60)

coverage: ## which statements of the solvers and src/math no test reaches
	@tools/setup coverage
	@tools/coverage

gallery: setup-test all ## replay pages of all scenes in build/gallery, their pictures in docs/gallery
	@tools/gallery

docs: setup-test all ## the library's reference in build/docs/html; links and examples of the docs
	@tools/setup docs
	@tools/reference
	@tools/check_links
	@ctest --test-dir build --output-on-failure --no-tests=error -R 'examples|hello|scenes'

map: ## write docs/map.md from the first comments of the sources
	@tools/map

mutate: setup-test ## changes of the papers' schemes, each caught by a claim of perp paper; takes minutes
	@tools/mutate

format: ## format the sources in place
	@tools/check_format --fix

clean: ## remove what was built
	@rm -rf build build-debug build-clang build-fuzz build-coverage build-mutate

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
