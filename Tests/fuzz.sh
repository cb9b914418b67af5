#!/usr/bin/env bash
# Fuzzes the parsers with libFuzzer and AddressSanitizer, each for FUZZ_SECONDS, with what earlier runs found as corpus.
# Run from the repository's root. FUZZ=pattern fuzzes only those whose name fits. The last line is `N passed, M failed`;
# an input that fails stays in .build/fuzz/NAME-*, and `.build/fuzz/debug/Fuzz NAME FILE` runs it again.
set -u
# The manifest lists the examples only for whom sets it.
unset SWIFTGET_TESTS

root=$PWD
pattern=${FUZZ:-*}
seconds=${FUZZ_SECONDS:-60}
package=$root/.build/fuzz
passed=0
failed=0

mkdir -p "$package"
ln -sfn ../../Sources "$package/Sources"
ln -sfn ../../Tests "$package/Tests"
cat "$root/Package.swift" "$root/Tests/Fuzz/targets.swift" > "$package/Package.swift"
# Optimised, but with assertions.
${SWIFT:-swift} build --package-path "$package" --scratch-path "$package" --product Fuzz \
  -Xswiftc -O -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=address || exit 1

for name in $("$package/debug/Fuzz" list); do
  # shellcheck disable=SC2053
  [[ $name == $pattern ]] || continue
  mkdir -p "$package/corpus/$name"
  "$package/debug/Fuzz" samples "$name" "$package/corpus/$name"
  if "$package/debug/Fuzz" "$name" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="$package/$name-" -print_final_stats=1 "$package/corpus/$name" > "$package/$name.log" 2>&1; then
    echo "passed  $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$package/$name.log") executions"
    passed=$((passed + 1))
  else
    echo "FAILED  $name"
    grep -aE 'Fatal error|ERROR|SUMMARY|Test unit written' "$package/$name.log" | head -5
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
