#!/usr/bin/env bash
# Tests `make deb` and `make dist` with the program in $BINARY: packages.sh. Needs no root and no network.
#
# The package is installed into a root of its own, its program runs there, its files are looked for, and nothing is left
# when it is removed. The tarballs are made twice and must be equal, and the signature of their checksums must be valid.
set -euo pipefail
cd "$(dirname "$0")/.."
binary="$(realpath "${BINARY:-.build/release/swiftget}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PATH="$PATH:/usr/sbin:/sbin"

fail() {
  echo "packages: $*" >&2
  exit 1
}

quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$* failed"; }; }

# Each file that an installation has, below a prefix; $1 is the directory of completions for zsh.
expected() {
  echo "bin/swiftget"
  for page in man/*.[1-9]; do echo "share/man/man${page##*.}/${page##*/}"; done
  for schema in share/swiftget/*.json share/swiftget/examples/*; do echo "$schema"; done
  echo "share/bash-completion/completions/swiftget"
  echo "share/zsh/$1/_swiftget"
  echo "share/fish/vendor_completions.d/swiftget.fish"
}

test_package() {
  quietly make deb BUILT= BINARY="$binary" PACKAGES="$work/packages"
  local package="$work/packages/swiftget_"*.deb root="$work/root" file
  # shellcheck disable=SC2086
  package="$(echo $package)"
  mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
  : > "$root/var/lib/dpkg/status"
  # The libraries that the package depends on are those of this machine.
  local dpkg=(fakeroot dpkg --root="$root" --force-not-root --force-bad-path --force-depends --log="$work/dpkg.log")
  quietly "${dpkg[@]}" --install "$package"
  file="$(dpkg-deb -f "$package" Version)"
  [ "$("$root/usr/bin/swiftget" --version | cut -d ' ' -f 2)" = "${file%-*}" ] ||
    fail "debian/changelog and the program have different versions"
  while read -r file; do
    case "$file" in share/man/*) file+=.gz ;; esac
    [ -s "$root/usr/$file" ] || fail "the package has no /usr/$file"
  done < <(expected vendor-completions)
  for file in copyright changelog.gz changelog.Debian.gz README.md.gz; do
    [ -s "$root/usr/share/doc/swiftget/$file" ] || fail "the package has no documentation file $file"
  done
  ! grep -rq /usr/local/bin "$root/usr/share/swiftget/examples" || fail "a unit runs a program in /usr/local/bin"
  for library in libcurl4 libssl3 libexpat1 libjansson4 libsqlite3-0 zlib1g liblzma5 libzstd1; do
    dpkg-deb -f "$package" Depends | grep -q "\b$library\b" || fail "the package does not depend on $library"
  done
  quietly "${dpkg[@]}" --purge swiftget
  file="$(find "$root" -path "$root/var/lib/dpkg" -prune -o -path '*swiftget*' -print)"
  [ -z "$file" ] || fail "removing the package leaves" $file
  echo "packages: $(basename "$package") installs, runs and leaves nothing"
}

test_tarballs() {
  if ! git rev-parse --git-dir > /dev/null 2>&1; then
    echo "packages: not a git checkout, so there are no tarballs to test"
    return
  fi
  quietly minisign -G -W -p "$work/key.pub" -s "$work/key"
  quietly make dist BUILT= BINARY="$binary" DIST="$work/first" MINISIGN_KEY="$work/key"
  touch README.md
  quietly make dist BUILT= BINARY="$binary" DIST="$work/second"
  quietly diff -r --exclude=SHA256SUMS.minisig "$work/first" "$work/second"
  quietly minisign -V -p "$work/key.pub" -m "$work/first/SHA256SUMS"
  cd "$work/first"
  quietly sha256sum -c --strict SHA256SUMS
  [ "$(wc -l < SHA256SUMS)" = 2 ] || fail "SHA256SUMS does not list two tarballs"
  quietly tar -C "$work" -xf swiftget-*-linux-*.tar.gz
  local directory
  directory="$(echo "$work"/swiftget-*-linux-*)"
  cd - > /dev/null
  while read -r file; do
    [ -s "$directory/$file" ] || fail "the tarball has no $file"
  done < <(expected site-functions && echo share/doc/swiftget/LICENSE)
  quietly "$directory/bin/swiftget" --version
  echo "packages: two runs make equal tarballs, and their signature is valid"
}

test_package
test_tarballs
