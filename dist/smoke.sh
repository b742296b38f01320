#!/usr/bin/env bash
# Tries an archive of a release for Linux: smoke.sh ARCHIVE. The checksum, what is in it, the program in an empty
# root folder, and install/install.sh with it.
set -euo pipefail
archive=$(realpath "$1") here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$(dirname "$archive")" && sha256sum --check --quiet "$(basename "$archive").sha256")
tar -xzf "$archive" -C "$work"
package=$(echo "$work"/merge3-*)
for file in LICENSE README.md completions/merge3.bash completions/_merge3 man/merge3.1 man/merge3-git-install.1; do
	test -s "$package/$file" || { echo "smoke: $file is missing" >&2; exit 1; }
done
if readelf --program-headers "$package/merge3" | grep -q INTERP; then
	echo "smoke: the program needs a dynamic linker" >&2
	exit 1
fi

# nothing but the program and three packages
root=$work/root
mkdir -p "$root/tmp"
cp "$package/merge3" "$root"
for side in original updated local; do cp -R "$here/../testdata/demo/$side" "$root/$side"; done
run=(chroot "$root")
if [ "$(id -u)" != 0 ]; then run=(unshare --map-root-user chroot "$root"); fi
"${run[@]}" /merge3 --version
"${run[@]}" /merge3 --ancestor original --from updated --to local
diff -r "$root/local" "$here/../testdata/demo/expected"
printf 'a: 1\nb: 1\n' > "$root/base" && printf 'a: 2\nb: 1\n' > "$root/ours" && printf 'a: 1\nb: 2\n' > "$root/theirs"
"${run[@]}" /merge3 git driver base ours theirs --path x.yaml
printf 'a: 2\nb: 2\n' | cmp - "$root/ours"

# the action that installs, with this archive in place of a release
version=$("$package/merge3" --version | cut -d ' ' -f 2)
mkdir -p "$work/releases/v$version" "$work/runner"
cp "$archive" "$archive.sha256" "$work/releases/v$version"
export RUNNER_TEMP=$work/runner GITHUB_PATH=$work/path MERGE3_VERSION=$version MERGE3_RELEASES=file://$work/releases
MERGE3_SHA256='' "$here/../install/install.sh"
"$(cat "$GITHUB_PATH")/merge3" --version
if MERGE3_SHA256=$(printf '0%.0s' {1..64}) "$here/../install/install.sh" 2> "$work/refused"; then
	echo "smoke: an archive with another checksum was installed" >&2
	exit 1
fi
grep -q "checksum" "$work/refused"
echo "smoke: ok"
