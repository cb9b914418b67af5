#!/usr/bin/env bash
# Runs `swift test` with the arguments given. After a failure, what failed is printed once more at the end, where the
# tail of a log shows it; the last line is the test runner's own summary. A run that says nothing for $PATIENCE seconds is
# ended, after it was told where it waits.
set -uo pipefail
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
patience="${PATIENCE:-900}"

# The processes that this script has started, directly or not, but for the watcher.
descendants() {
  ps -e -o pid=,ppid= | awk -v root="$$" -v watcher="$1" '
    { parent[$1] = $2 }
    END {
      for (process in parent)
        for (other = process; other in parent && other != watcher; other = parent[other])
          if (other == root) { if (process != root) print process; break }
    }'
}

# Prints the tests that have not ended, what runs, and the stacks of threads that are in a test.
explain() {
  local process stacks
  stacks="$(mktemp)"
  # What was said may still be in a buffer: first in that of the tests, then in that of `swift test`.
  for kind in Package swift-test; do
    for process in "$@"; do
      case "$(cat "/proc/$process/comm" 2> /dev/null)" in *$kind*) ;; *) continue ;; esac
      command -v gdb > /dev/null || continue
      timeout 300 gdb -p "$process" -batch -ex 'thread apply all backtrace 30' -ex 'call (int) fflush(0)' \
        >> "$stacks" 2> /dev/null
      sleep 1
    done
  done
  echo "nothing was said for $patience seconds; these tests have not ended:"
  awk -F'"' '/Test "/ { if (/ started/) open[$2]; else if (/ (passed|failed|skipped)/) delete open[$2] }
    END { for (name in open) print "  " name }' "$log"
  ps -o pid=,ppid=,stat=,etime=,args= -p "$(IFS=,; echo "$*")" | cut -c 1-200
  awk 'BEGIN { RS = "" } /Tests/ { print substr($0, 1, 6000) "\n" }' "$stacks" | cut -c 1-240
  rm -f "$stacks"
}

watch() {
  local watcher=$BASHPID age processes
  while sleep 15 > /dev/null 2>&1; do
    age=$(($(date +%s) - $(stat -c %Y "$log")))
    [ "$age" -lt "$patience" ] && continue
    mapfile -t processes < <(descendants "$watcher")
    explain "${processes[@]}"
    kill -KILL "${processes[@]}" 2> /dev/null
    return
  done
}

watch &
watcher=$!
"${SWIFT:-swift}" test "$@" 2>&1 | tee "$log"
status=$?
kill "$watcher" 2> /dev/null
wait "$watcher" 2> /dev/null
if [ "$status" -ne 0 ]; then
  grep -aE '^(✘| *↳)|: error:' "$log" | grep -avE '^(✘ (Test|Suite) .* failed after|↳ T(esting Library|arget Platform))' | cut -c 1-400 | tail -n 40
  grep -a '^✘ Test run' "$log" | tail -n 1
fi
exit "$status"
