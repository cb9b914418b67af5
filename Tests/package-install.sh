#!/usr/bin/env bash
# Installs a package in a new Debian 12 and downloads a file there: package-install.sh PACKAGE. Needs root and debootstrap,
# and a mirror of Debian, which $DEBIAN_MIRROR names.
set -euo pipefail
package="$1"
mirror="${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
root="$(mktemp -d)"
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT

debootstrap --variant=minbase bookworm "$root" "$mirror"
cp "$package" "$root/swiftget.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
for file in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"; done
# In a chroot no service may start.
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends /swiftget.deb

mkdir "$root/served"
head -c 5000000 /dev/urandom > "$root/served/file"
(cd "$root/served" && sha256sum file > SHA256SUMS)
python3 -u -m http.server --bind 127.0.0.1 --directory "$root/served" 0 > "$root/server.log" 2> /dev/null &
server=$!
port=
while [ -z "$port" ]; do
  sleep 0.2
  kill -0 "$server"
  port="$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$root/server.log")"
done
chroot "$root" swiftget -i "http://127.0.0.1:$port/SHA256SUMS" -d /downloads
cmp "$root/served/file" "$root/downloads/file"
chroot "$root" dpkg --purge swiftget
[ ! -e "$root/usr/bin/swiftget" ]
echo "package-install: the package installs on Debian 12, and its program downloads"
