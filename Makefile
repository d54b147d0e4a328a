# The entry points. `make demo` and `make test` are the two that a newcomer needs; each installs what it lacks first.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup setup-demo driver brawn demo test test-programs heaps test-long lint fuzz release release-check results presets hundred tune-study tune-duration clean

# Tools that scripts/setup put into the repository's private folder win over the machine's own.
export PATH := $(CURDIR)/.tools/bin:$(PATH)

CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR
CARGO_FLAGS := --locked
# With LINTED=1 clippy compiles what is built unoptimised, and what it finds is an error there: `lint` need not check every
# dependency once more for it.
ifdef LINTED
CARGO_FLAGS += --config 'build.rustc-workspace-wrapper="clippy-driver"'
export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
endif

# Packages that stand alone, as a user's would, so the workspace does not hold them.
STANDALONE := $(wildcard examples/*/Cargo.toml)
SHELL_FILES := $(shell git ls-files -co --exclude-standard -- '.ci/*' 'scripts/*' '*.sh' | xargs -r grep -lE '^\#!.*\bsh\b|^\#!.*\bbash\b' 2>/dev/null)
C_FILES := $(shell git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cc' '*.cpp')

# What this machine is: the released `brawn` is a static executable for it.
TARGET := $(shell uname -m)-unknown-linux-musl
BRAWN := $(CARGO_TARGET_DIR)/$(TARGET)/release/brawn
# What only maintainers run.
XTASK := $(CARGO_TARGET_DIR)/debug/xtask

help: ## list these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

setup: ## install what `make test` needs and this machine lacks
	@scripts/setup test

setup-demo:
	@scripts/setup demo

# Both unoptimised, so that they share their dependencies.
driver: setup-demo
	cargo build $(CARGO_FLAGS) -p brawn -p xtask

brawn: driver ## build brawn, and with it the released brawn: a static executable of its own making
	scripts/release build

demo: driver ## build a real program three ways and run them side by side
	$(XTASK) demo --brawn $(CARGO_TARGET_DIR)/debug/brawn

lint: setup ## formatting, clippy, shellcheck, licences
	cargo fmt --all --check
	for manifest in $(STANDALONE); do cargo fmt --manifest-path "$$manifest" --check; done
	rustfmt --edition 2024 --check $(shell git ls-files "crates/brawn-bench/workloads/*.rs")
	$(if $(strip $(C_FILES)),clang-format --dry-run --Werror $(C_FILES))
	shellcheck $(SHELL_FILES)
	cargo deny --all-features --locked --log-level error check --hide-inclusion-graph bans licenses sources
	$(if $(LINTED),,cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings)

# heap_behaviour has a runner of its own (.config/nextest.toml); no crate has tests in its documentation.
JUNIT := $(CARGO_TARGET_DIR)/nextest/default/junit.xml
# Some tests mostly wait, so two more run than there are cores.
THREADS := $(shell expr $$(nproc) + 2)

test-programs: lint
	cargo test $(CARGO_FLAGS) --workspace --no-run

heaps: test-programs
	cargo test $(CARGO_FLAGS) --workspace --test heap_behaviour -- --test-threads $(THREADS)

# Some tests are about the executable that is released. While that is linked a core is left for the heaps.
test: ## everything that must hold before a change lands
	$(MAKE) -j2 --output-sync brawn heaps
	cargo nextest run $(CARGO_FLAGS) --workspace --hide-progress-bar --test-threads $(THREADS)
	scripts/slowest $(JUNIT)

test-long: export BRAWN_TEST_LONG = 1
test-long: test ## the same with every stress test at full length

# Executions of each fuzzer of what is read from outside, cases of each property of ELF files, and seconds for each fuzzer of C (the
# string functions get twice that). What LLVM's pass for coverage needs is the same in every Rust toolchain.
FUZZ_RUNS := 10000000
FUZZ_CASES := 200000
FUZZ_SECONDS := 300
FUZZ_TARGETS := elf note archive record manifest registry tar gzip knobs http logins certificates arguments results state functions graft fleetlog fleetspec
FUZZ_FLAGS := -Cpasses=sancov-module $(addprefix -Cllvm-args=-sanitizer-coverage-,level=4 inline-8bit-counters pc-table trace-compares)
FUZZ_TRIPLE := $(shell uname -m)-unknown-linux-gnu
FUZZ_FOLDER := $(CARGO_TARGET_DIR)/fuzz
FUZZ_LIMITS := -max_len=8192 -timeout=10 -rss_limit_mb=256

fuzz: setup ## everything that reads bytes from outside, the string functions and the heap, on guided input, for an hour or more
	RUSTFLAGS='$(FUZZ_FLAGS)' RUSTC_WRAPPER='$(CURDIR)/scripts/fuzz-rustc' cargo build $(CARGO_FLAGS) --profile fuzz -p brawn-fuzz --features libfuzzer --target $(FUZZ_TRIPLE) --target-dir $(FUZZ_FOLDER)
	for target in $(FUZZ_TARGETS); do \
		mkdir -p "$(FUZZ_FOLDER)/corpus/$$target" "$(FUZZ_FOLDER)/found/$$target"; \
		echo "fuzz: $$target" >&2; \
		BRAWN_FUZZ=$$target BRAWN_FUZZ_SEEDS="$(FUZZ_FOLDER)/corpus/$$target" $(FUZZ_FOLDER)/$(FUZZ_TRIPLE)/fuzz/brawn-fuzz \
			"$(FUZZ_FOLDER)/corpus/$$target" -runs=$(FUZZ_RUNS) $(FUZZ_LIMITS) -print_final_stats=1 -artifact_prefix="$(FUZZ_FOLDER)/found/$$target/"; \
	done
	BRAWN_TEST_LONG=1 PROPTEST_CASES=$(FUZZ_CASES) cargo test $(CARGO_FLAGS) --release -p brawn-elf --test hostile
	crates/brawn-kit/libc/string/test/run fuzz $$((2 * $(FUZZ_SECONDS)))
	crates/brawn-kit/libc/malloc/test/run fuzz $(FUZZ_SECONDS)
	crates/brawn-kit/libc/malloc/test/run fuzz $(FUZZ_SECONDS) HARDENED

# The other architecture's executable is made here as well: zig compiles what is C in it.
release: setup driver ## make what a release consists of, for both architectures, in target/dist/: nothing is published
	scripts/release build x86_64 aarch64
	scripts/release pack x86_64 aarch64
	cargo test $(CARGO_FLAGS) -p brawn --test cli -- release:: --ignored

release-check: setup driver ## build again elsewhere and compare the bytes, and install from the packaged crates without a network
	scripts/release build
	scripts/release again
	scripts/release crates

# What `make results` measures, each in a run of its own, so that one that fails costs no other. All of it takes about two
# hours; `SUITES='threads footprint malloc'` measures those alone, and more time for each case narrows the intervals.
SUITES := threads strings libc stream malloc startup footprint nginx wasmtime jvm
EACH := --time 3 --blocks 3
RESULTS_PARTS := $(CARGO_TARGET_DIR)/results

results: setup brawn ## measure the numbers in docs/results/ again, on this machine
	$(XTASK) results --brawn $(BRAWN) --out docs/results
	rm -rf $(RESULTS_PARTS)
	for suite in $(SUITES); do $(BRAWN) bench "$$suite" $(EACH) --out $(RESULTS_PARTS)/"$$suite" || echo "left out: $$suite" >&2; done
	$(XTASK) collect --out docs/results/bench --command 'brawn bench $(SUITES) $(EACH)' $(SUITES:%=$(RESULTS_PARTS)/%)
	gzip -9nf docs/results/bench/results.json
	scripts/report-pictures docs/results/bench/report.html docs/results/bench
	$(XTASK) quote

# What of the search `make presets` runs: everything takes some hours. `make presets SEARCH='--reduced --time 4 --blocks 3'` takes
# a quarter of an hour, once the programs are built. A search that was broken off goes on where it was.
SEARCH := --time 20

presets: brawn ## measure the candidates for presets again: the choice is made from docs/results/presets/
	$(XTASK) presets --brawn $(BRAWN) --out docs/results/presets --parts $(CARGO_TARGET_DIR)/presets $(SEARCH)
	gzip -9nf docs/results/presets/results.json docs/results/presets/startup.json
	$(XTASK) quote

# Seconds for each of two runs of most programs; the exhaustive run takes twice that, and redis needs more of all (see programs.rs).
# `STUDY_PROGRAMS='redis jaq'` measures these alone; without, it is all of them.
STUDY_SECONDS := 60
STUDY_PROGRAMS :=
STUDY_WORK := $(CARGO_TARGET_DIR)/tune-study

# Some of the programs run cargo, whose folder is not this project's.
hundred: setup brawn ## build, check and measure what is missing in docs/hundred/; HUNDRED='NAME…' for some
	env -u CARGO_TARGET_DIR BRAWN_ZIG=$(CURDIR)/.tools/zig/ziglang/zig $(XTASK) hundred run --brawn $(BRAWN) $(HUNDRED)

tune-study: brawn ## tune real programs again, twice and once exhaustively, for docs/tune/
	$(XTASK) study build $(BRAWN) $(STUDY_WORK) $(STUDY_PROGRAMS)
	$(XTASK) study run $(BRAWN) $(STUDY_WORK) docs/tune $(STUDY_SECONDS) $(STUDY_PROGRAMS)

tune-duration: brawn ## measure how long an answer of brawn tune takes, for docs/tune/
	$(XTASK) study duration $(BRAWN) $(STUDY_WORK) docs/tune

clean: ## remove everything that was built; what setup installed stays
	cargo clean
