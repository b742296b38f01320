# `make help` lists what there is.
CARGO ?= cargo
REAL ?= ../shared/real
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: help demo test soak real merges bench kubectl kubectl-apply build fmt cargo components

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## build, upgrade the package in testdata/demo (a copy of it), show the diff and the summary
	@tests/demo.sh $(TARGET)/release/merge3

test: cargo components ## every check: format, lints, tests, docs, all warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --all-targets --quiet -- -D warnings
	$(CARGO) test --quiet
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --quiet

SOAK ?= 500
soak: cargo ## the tests of faults for long: SOAK kills, as many interruptions; cargo deny, where it is installed
	SOAK=$(SOAK) $(CARGO) test --release --test faults -- --nocapture --test-threads 1
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check; \
	else echo "make soak: cargo deny is not installed, advisories are not checked (cargo install cargo-deny)"; fi

real: build ## run against real packages, REAL=FOLDER; a line for each check
	@$(CARGO) build --release --quiet --examples
	@python3 tests/real.py --bin $(TARGET)/release --real $(REAL)
	@MERGE3_REAL=$(abspath $(REAL)) $(CARGO) test --release --quiet --test upgrade real -- --nocapture

merges: build ## replay real merges with git, mergiraf (if it is there) and the driver, REAL=FOLDER
	@python3 tests/merges.py --tool $(REAL)/../tools/merges.py --merges $(REAL)/merges --bin $(TARGET)/release/merge3

bench: build ## measure against cp, git and mergiraf, print a Markdown table, REAL=FOLDER; takes some minutes
	@python3 benches/table.py --bin $(TARGET)/release/merge3 --real $(REAL)
kubectl-apply: build ## compare `merge3 apply` with the real kubectl apply, if there is one; COUNT=300
	@python3 tests/kubectl_apply.py --bin $(TARGET)/release/merge3 --count $(or $(COUNT),300)

kubectl: build ## compare `merge3 patch` with `kubectl patch --local` on generated pairs; needs kubectl, no cluster
	@python3 tests/kubectl.py --bin $(TARGET)/release/merge3

build: cargo
	@$(CARGO) build --release --quiet

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
