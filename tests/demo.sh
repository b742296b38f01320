#!/bin/sh
# Upgrades a copy of testdata/demo with the binary given as the first argument; shows the diff it made and its summary.
set -eu
merge3=$(command -v "$1") || { echo "demo: there is no program $1; run make demo" >&2; exit 2; }
case $merge3 in /*) ;; *) merge3=$PWD/$merge3 ;; esac
demo=$(dirname "$0")/../testdata/demo
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
for side in original updated local; do cp -R "$demo/$side" "$there/$side"; done
cp -R "$demo/local" "$there/before"
cd "$there"
echo '$ merge3 --ancestor original --from updated --to local'
"$merge3" --ancestor original --from updated --to local > summary
echo
echo '== what it changed in local'
git -c core.autocrlf=false --no-pager diff --no-index --no-prefix -- before local || [ $? -eq 1 ]
echo
echo '== its summary'
cat summary
