#!/usr/bin/env bash
# Makes the tarballs of `make dist`: dist.sh DIRECTORY, with the built program in $BINARY.
#
# The sources are those of the last commit. Names, order, owners and times in the tarballs depend on nothing else, so
# that two runs make equal files. SHA256SUMS lists both; MINISIGN_KEY=FILE signs it.
set -euo pipefail
directory="$1"
version="$(sed -n 's/.*programVersion = "\(.*\)"/\1/p' Sources/DownloadCore/Plan/ProgramVersion.swift)"
time="$(git log -1 --format=%ct)"
staging="$(mktemp -d)"
trap 'rm -rf "$staging"' EXIT
mkdir -p "$directory"
rm -f "$directory"/swiftget-*.tar.gz "$directory"/SHA256SUMS*

git archive --prefix="swiftget-$version/" HEAD | gzip -9n > "$directory/swiftget-$version.tar.gz"

name="swiftget-$version-linux-$(uname -m)"
make -s install BUILT= BINARY="$BINARY" DESTDIR="$staging/$name" PREFIX=
install -d "$staging/$name/share/doc/swiftget"
install -m 644 README.md CHANGELOG.md LICENSE "$staging/$name/share/doc/swiftget"
chmod -R u=rwX,go=rX "$staging/$name"
tar -C "$staging" -c --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --format=gnu "$name" |
  gzip -9n > "$directory/$name.tar.gz"

cd "$directory"
sha256sum swiftget-*.tar.gz > SHA256SUMS
[ -z "${MINISIGN_KEY:-}" ] || minisign -S -s "$MINISIGN_KEY" -m SHA256SUMS < /dev/null
