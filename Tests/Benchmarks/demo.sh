#!/bin/sh
# The main job on real input: a web server on this machine, a checksum list, verified files. Usage: demo.sh SWIFTGET
set -eu
swiftget=$(realpath "$1")
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || { kill "$server" && wait "$server" || true; } 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"
mkdir "$work/served" "$work/downloads"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

# Files as a release has them: an image, an archive, a text, a name with a space.
head -c 200000000 /dev/urandom > "$work/served/disk.img"
head -c 3000000 /dev/urandom > "$work/served/source.tar.gz"
date > "$work/served/README.txt"
head -c 70000 /dev/urandom > "$work/served/release notes.pdf"
(cd "$work/served" && sha256sum -- * > "$work/SHA256SUMS")

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
[ "$(id -u)" != 0 ] || user='user root;'
cat > "$work/nginx.conf" <<END
${user-} daemon off; pid $work/nginx.pid; error_log $work/error.log;
events { }
http {
  access_log off; sendfile on; default_type application/octet-stream;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  server { listen 127.0.0.1:$port; root $work/served; }
}
END
PATH=$PATH:/usr/sbin nginx -p "$work" -c "$work/nginx.conf" -e "$work/error.log" &
server=$!
tries=0
until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "demo: the server did not start" >&2; exit 1; }
  sleep 0.05
done

cd "$work"
show cat SHA256SUMS
show "$swiftget" -i SHA256SUMS --base-url "http://127.0.0.1:$port/" -d downloads
cd downloads
show sha256sum -c ../SHA256SUMS
show ls -l
