#!/usr/bin/env bash
# Installs the program of a release, by its checksum, for the steps that follow.
set -euo pipefail
version=${MERGE3_VERSION#v}
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) target=x86_64-unknown-linux-musl ;;
Linux-aarch64) target=aarch64-unknown-linux-musl ;;
Darwin-x86_64) target=x86_64-apple-darwin ;;
Darwin-arm64) target=aarch64-apple-darwin ;;
*)
	echo "merge3: there is no release for $(uname -s) on $(uname -m); use cargo install kmerge3" >&2
	exit 1
	;;
esac
archive=merge3-$version-$target.tar.gz
folder=$RUNNER_TEMP/merge3
rm -rf "$folder" && mkdir -p "$folder"
cd "$folder"
curl --fail --silent --show-error --location --remote-name-all \
	"$MERGE3_RELEASES/v$version/$archive" "$MERGE3_RELEASES/v$version/$archive.sha256"
expected=${MERGE3_SHA256:-$(cut -d ' ' -f 1 "$archive.sha256")}
if command -v sha256sum > /dev/null; then sum=sha256sum; else sum="shasum -a 256"; fi
found=$($sum "$archive" | cut -d ' ' -f 1)
if [ "$found" != "$expected" ]; then
	echo "merge3: $archive has the checksum $found, and not $expected: it is not installed" >&2
	exit 1
fi
tar -xzf "$archive"
echo "$folder/merge3-$version-$target" >> "$GITHUB_PATH"
