#!/usr/bin/env bash
# Builds the archive of a release for one target: package.sh TARGET [FOLDER]
set -euo pipefail
target=$1 folder=${2:-target/dist}
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=merge3-$version-$target
case $target in
*-linux-musl)
	# a crate has C in it
	compiler=CC_${target//-/_}
	if [ -z "${!compiler:-}" ] && ! command -v musl-gcc > /dev/null && ! grep -q Alpine /etc/os-release; then
		echo "package: musl-gcc is missing. Run: apt-get install musl-tools" >&2
		exit 1
	fi
	;;
esac
cargo build --release --locked --target "$target"
built=${CARGO_TARGET_DIR:-target}/$target/release
case $target in *windows*) program=merge3.exe ;; *) program=merge3 ;; esac

rm -rf "${folder:?}/$name"
mkdir -p "$folder/$name/completions" "$folder/$name/man"
cp "$built/$program" "$folder/$name"
cp LICENSE README.md CHANGELOG.md SECURITY.md "$folder/$name"
"$built/$program" completions bash > "$folder/$name/completions/merge3.bash"
"$built/$program" completions zsh > "$folder/$name/completions/_merge3"
"$built/$program" completions fish > "$folder/$name/completions/merge3.fish"
"$built/$program" completions powershell > "$folder/$name/completions/merge3.ps1"
"$built/$program" man --all "$folder/$name/man"

cd "$folder"
case $target in
*windows*) archive=$name.zip && 7z a -bd "$archive" "$name" > /dev/null ;;
*) archive=$name.tar.gz && tar -czf "$archive" "$name" ;;
esac
if command -v sha256sum > /dev/null; then sum=sha256sum; else sum="shasum -a 256"; fi
$sum "$archive" > "$archive.sha256"
echo "$folder/$archive"
