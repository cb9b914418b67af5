# bash completion for swiftget; written by swiftget --generate bash.

_swiftget_paths() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

_swiftget() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # Readline breaks words at '=', so that --name=VALUE arrives in three.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $prev in
    -i|--input-file) _swiftget_paths -f; return ;;
    --base-url) return ;;
    --input-format) COMPREPLY=($(compgen -W 'urls aria2 checksums metalink tsv csv json jsonl pooch bagit' -- "$cur")); return ;;
    --columns) return ;;
    --url-template) return ;;
    --url-scheme) COMPREPLY=($(compgen -W 'https http' -- "$cur")); return ;;
    --metalink-language) return ;;
    --metalink-os) return ;;
    --metalink-location) return ;;
    -d|-P|--dir) _swiftget_paths -d; return ;;
    -o|--output|--out) _swiftget_paths -f; return ;;
    --checksum) return ;;
    --mirror) return ;;
    --include) return ;;
    --exclude) return ;;
    --strip-components) return ;;
    --name-from) COMPREPLY=($(compgen -W 'url last-url answer' -- "$cur")); return ;;
    --cut-dirs) return ;;
    --output-template) return ;;
    --shard) return ;;
    --verify-signature) _swiftget_paths -f; return ;;
    --signature) _swiftget_paths -f; return ;;
    -j|--jobs) return ;;
    -x|--connections|--split) return ;;
    -k|--min-split-size) return ;;
    --max-connections-per-host) return ;;
    --limit-rate) return ;;
    --limit-rate-per-file) return ;;
    -t|--tries) return ;;
    --retry-wait) return ;;
    -T|--timeout) return ;;
    --connect-timeout) return ;;
    --max-time) return ;;
    --max-filesize) return ;;
    --max-redirect|--max-redirs) return ;;
    --if-exists) COMPREPLY=($(compgen -W 'ask keep verify replace fail' -- "$cur")); return ;;
    --accept-status) return ;;
    --lock) return ;;
    --frozen) return ;;
    --failed) _swiftget_paths -f; return ;;
    -H|--header) return ;;
    -u|--user) return ;;
    --netrc-file) _swiftget_paths -f; return ;;
    -U|--user-agent) return ;;
    --referer) return ;;
    --load-cookies) _swiftget_paths -f; return ;;
    --save-cookies) _swiftget_paths -f; return ;;
    --proxy) return ;;
    --proxy-cacert) _swiftget_paths -f; return ;;
    --cacert) _swiftget_paths -f; return ;;
    --capath) _swiftget_paths -d; return ;;
    --cert) _swiftget_paths -f; return ;;
    --key) _swiftget_paths -f; return ;;
    --interface) return ;;
    --resolve) return ;;
    --changed-exit) return ;;
    --deadline) return ;;
    --splay) return ;;
    --lock-wait) return ;;
    --on-complete) return ;;
    --on-failure) return ;;
    --on-exit) return ;;
    --hook-timeout) return ;;
    --verify-command) return ;;
    --write-manifest) COMPREPLY=($(compgen -W 'gnu bsd metalink json jsonl bagit' -- "$cur")); return ;;
    --algorithm) return ;;
    --log-format) COMPREPLY=($(compgen -W 'lines json' -- "$cur")); return ;;
    --report) _swiftget_paths -f; return ;;
    --max-failures) return ;;
    --config) _swiftget_paths -f; return ;;
    --progress) COMPREPLY=($(compgen -W 'auto bar lines json none' -- "$cur")); return ;;
    --log) _swiftget_paths -f; return ;;
    --generate) COMPREPLY=($(compgen -W 'man bash zsh fish' -- "$cur")); return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-i --input-file --base-url --input-format --columns --url-template --url-scheme --metalink-language --metalink-os --metalink-location -d -P --dir -o --output --out --checksum --mirror --include --exclude --strip-components --glob --name-from --content-disposition --force-directories --no-host-directories --cut-dirs --output-template --allow-absolute --shard --keep-going --dry-run --spider --verify-signature --signature -j --jobs -x --connections --split -k --min-split-size --max-connections-per-host --limit-rate --limit-rate-per-file -t --tries --retry-wait -T --timeout --connect-timeout --max-time --max-filesize --max-redirect --max-redirs --if-exists -N --timestamping --no-resume -c --continue --trust-length --allow-unconfirmed --accept-html --accept-status --compressed --atomic --prune --no-sync --no-remote-time --lock --frozen --failed -H --header -u --user --netrc --netrc-file --no-netrc -U --user-agent --referer --load-cookies --save-cookies --proxy --proxy-cacert --proxy-insecure --no-proxy --cacert --capath --cert --key --insecure --http1.1 --http2 -4 --ipv4 -6 --ipv6 --interface --resolve --changed-exit --deadline --splay --lock-wait --on-complete --on-failure --on-exit --hook-timeout --verify-command --notify --check --strict --write-manifest --in-place --algorithm --log-format --report --max-failures --config --no-config -q --quiet -v --verbose --progress --log -h --help -V --version --generate --host-directories --no-accept-html --no-allow-absolute --no-allow-unconfirmed --no-atomic --no-check --no-compressed --no-content-disposition --no-dry-run --no-force-directories --no-glob --no-http1.1 --no-http2 --no-in-place --no-insecure --no-ipv4 --no-ipv6 --no-keep-going --no-notify --no-proxy-insecure --no-prune --no-quiet --no-spider --no-strict --no-timestamping --no-trust-length --remote-time --sync' -- "$cur"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W 'check manifest completions help' -- "$cur"))
  fi
}

complete -F _swiftget swiftget
