#!/usr/bin/env bash
# Runs `swift test` with the arguments given. After a failure, what failed is printed once more at the end, where the
# tail of a log shows it; the last line is the test runner's own summary.
set -uo pipefail
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
"${SWIFT:-swift}" test "$@" 2>&1 | tee "$log"
status=$?
if [ "$status" -ne 0 ]; then
  grep -aE '^(✘| *↳)|: error:' "$log" | grep -avE '^(✘ (Test|Suite) .* failed after|↳ T(esting Library|arget Platform))' | cut -c 1-400 | tail -n 40
  grep -a '^✘ Test run' "$log" | tail -n 1
fi
exit "$status"
