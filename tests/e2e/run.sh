#!/bin/sh
# Drives the report as a page in a real Chromium: run.sh PROGRAM FOLDER [--install [PICTURE]]
# FOLDER gets the npm packages. Without --install the checks are passed over where something is missing.
# With PICTURE, a picture of the page is drawn there instead.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1 folder=$2 install=${3-} picture=${4-}
mkdir -p "$folder"
cp "$here"/*.mjs "$here"/package.json "$here"/package-lock.json "$folder"

for name in "${CHROMIUM-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && CHROMIUM=$(command -v "$name") && break
done
if [ "$install" = --install ]; then
    command -v npm >/dev/null || { echo "make e2e: npm is missing: install Node.js 20 or later" >&2; exit 1; }
    (cd "$folder" && npm ci --silent --no-fund --no-audit)
    [ -n "${CHROMIUM-}" ] || (cd "$folder" && npx --no playwright-core install --with-deps chromium)
fi
if [ ! -d "$folder/node_modules/playwright-core" ] || { [ "$install" != --install ] && [ -z "${CHROMIUM-}" ]; }; then
    echo "the page is not looked at in a browser: Chromium or Playwright is not installed (make e2e installs them)"
    exit 0
fi
cd "$folder"
if [ -n "$picture" ]; then
    python3 "$here/../../docs/demo.py" --bin "$program" --page page.html
    CHROMIUM=${CHROMIUM-} exec node picture.mjs page.html "$picture"
fi
BIN=$program CHROMIUM=${CHROMIUM-} exec node --test page.test.mjs
