# bash completion for swiftget; written by swiftget --generate bash.

_swiftget_paths() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

_swiftget_ctl() {
  local word verb= previous= session=() options= whole=${COMP_LINE:0:COMP_POINT}
  for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    case $previous in
      -S|--session|--session-dir) session+=("$previous" "$word") ;;
      *) [[ $word == -* || -n $verb ]] || verb=$word ;;
    esac
    previous=$word
  done
  case $prev in
    -S|--session)
      COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" ctl "${session[@]}" sessions --names 2>/dev/null)" -- "$cur"))
      return ;;
    --session-dir) _swiftget_paths -d; return ;;
  esac
  case $verb in
    list) options='--json --fields --sort --groups --selectors' ;;
    show) options='--json' ;;
    add) options='--paused --group --priority' ;;
    pause) options='-n --dry-run' ;;
    resume) options='-n --dry-run --all' ;;
    cancel) options='-n --dry-run' ;;
    remove) options='-n --dry-run --files --yes' ;;
    retry) options='-n --dry-run' ;;
    move) options='-n --dry-run --to' ;;
    set) options='-n --dry-run' ;;
    limit) options='-n --dry-run' ;;
    wait) options='--timeout' ;;
    watch) options='--plain' ;;
    log) options='-f --follow --since --json' ;;
    export) options='' ;;
    status) options='--json' ;;
    sessions) options='--json --names' ;;
    stop) options='--finish --now' ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options -S --session --session-dir -h --help" -- "$cur"))
  elif [[ -z $verb ]]; then
    COMPREPLY=($(compgen -W 'list show add pause resume cancel remove retry move set limit wait watch log export status sessions stop' -- "$cur"))
  elif [[ ' list show pause resume cancel remove retry move set wait watch log export ' == *" $verb "* ]]; then
    compopt -o nosort 2>/dev/null
    whole=${whole##* }
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" ctl "${session[@]}" list --selectors 2>/dev/null)" -- "$whole"))
    # Readline breaks words at colons.
    if [[ $whole == *:* && $COMP_WORDBREAKS == *:* ]]; then
      COMPREPLY=("${COMPREPLY[@]#"${whole%"${whole##*:}"}"}")
    fi
  fi
}

_swiftget() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [[ ${COMP_WORDS[1]} == ctl ]] && ((COMP_CWORD > 1)); then
    _swiftget_ctl
    return
  fi
  # Readline breaks words at '=', so that --name=VALUE arrives in three.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $prev in
    -i|--input-file) _swiftget_paths -f; return ;;
    --base-url) return ;;
    --input-format) COMPREPLY=($(compgen -W 'urls aria2 checksums metalink tsv csv fields json jsonl pooch deb822 bagit' -- "$cur")); return ;;
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
    --output-template) return ;;
    --shard) return ;;
    --verify-signature) _swiftget_paths -f; return ;;
    --signature) _swiftget_paths -f; return ;;
    -j|--jobs) return ;;
    -x|--connections|--split) return ;;
    -k|--min-split-size) return ;;
    --max-connections-per-host) return ;;
    --limit-rate) return ;;
    --limit-requests) return ;;
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
    -S|--session) return ;;
    --session-dir) _swiftget_paths -d; return ;;
    --group) return ;;
    --priority) return ;;
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
    --report) _swiftget_paths -f; return ;;
    --max-failures) return ;;
    --config) _swiftget_paths -f; return ;;
    --progress) COMPREPLY=($(compgen -W 'auto bar lines json none' -- "$cur")); return ;;
    --log) _swiftget_paths -f; return ;;
    --generate) COMPREPLY=($(compgen -W 'man man-guide man-output bash zsh fish' -- "$cur")); return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-i --input-file --base-url --input-format --columns --url-template --url-scheme --metalink-language --metalink-os --metalink-location -d -P --dir -o --output --out --checksum --mirror --include --exclude --strip-components --basename --glob --name-from --output-template --allow-absolute --shard --keep-going --dry-run --spider --verify-signature --signature -j --jobs -x --connections --split -k --min-split-size --max-connections-per-host --limit-rate --limit-requests --limit-rate-per-file -t --tries --retry-wait -T --timeout --connect-timeout --max-time --max-filesize --max-redirect --max-redirs --if-exists -N --timestamping --no-resume --trust-length --allow-unconfirmed --accept-html --accept-status --compressed --atomic --prune --no-sync --no-remote-time --lock --frozen --failed -H --header -u --user --netrc --netrc-file --no-netrc -U --user-agent --referer --load-cookies --save-cookies --proxy --proxy-cacert --proxy-insecure --no-proxy --cacert --capath --cert --key --insecure --https-only --http1.1 --http2 -4 --ipv4 -6 --ipv6 --interface --resolve -S --session --session-dir --background --group --priority --paused --changed-exit --deadline --splay --lock-wait --on-complete --on-failure --on-exit --hook-timeout --verify-command --check --strict --write-manifest --in-place --algorithm --report --max-failures --config --no-config -q --quiet -v --verbose --progress --color --log -h --help -V --version --generate --no-accept-html --no-allow-absolute --no-allow-unconfirmed --no-atomic --no-background --no-basename --no-check --no-compressed --no-dry-run --no-glob --no-http1.1 --no-http2 --no-https-only --no-in-place --no-insecure --no-ipv4 --no-ipv6 --no-keep-going --no-paused --no-proxy-insecure --no-prune --no-quiet --no-spider --no-strict --no-timestamping --no-trust-length --remote-time --sync' -- "$cur"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W 'check manifest serve completions help ctl' -- "$cur"))
  fi
}

complete -F _swiftget swiftget
