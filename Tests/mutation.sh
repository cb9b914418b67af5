# Takes guards out of a copy of the package, one at a time. Sourced by scripts that define `notices`: it builds the copy
# in $copy and runs its tests, those that $tests names if there are several sets of them, and returns 0 where they pass, 1
# where they fail, 2 where nothing can be built.
# MUTANTS=pattern takes out only those whose name fits. A mutant that survives, or whose text is no longer there, is a
# failure. With MUTANTS_TEXTS=1 only the texts are looked for, and nothing is built.
root=$PWD
pattern=${MUTANTS:-*}
texts_only=${MUTANTS_TEXTS:-}
copy=$(mktemp -d "${TMPDIR:-/tmp}/swiftget-mutants.XXXXXX")
trap 'rm -rf "$copy"' EXIT
passed=0
failed=0
tests=
declare -A sound=()

fail() {
  echo "FAILED  $1: $2"
  failed=$((failed + 1))
}

# mutant NAME FILE TEXT REPLACEMENT: FILE is relative to $sources.
mutant() {
  local name=$1 file=$sources/$2 text=$3 replacement=$4 source
  # shellcheck disable=SC2053
  [[ $name == $pattern ]] || return 0
  source=$(cat "$file"; echo .)
  source=${source%.}
  if [[ $source != *"$text"* ]]; then
    fail "$name" "its text is not in $2"
    return
  fi
  if [ -n "$texts_only" ]; then
    passed=$((passed + 1))
    return
  fi
  must_pass
  printf '%s' "${source/"$text"/"$replacement"}" > "$file"
  notices
  case $? in
    0) fail "$name" "no test notices" ;;
    1) echo "passed  $name"; passed=$((passed + 1)) ;;
    2) fail "$name" "does not compile"; tail -5 "$copy/build.log" ;;
  esac
  printf '%s' "$source" > "$file"
}

# The tests must pass before anything is taken out that they are to notice.
must_pass() {
  if [ -n "${sound[x$tests]-}" ]; then return; fi
  sound[x$tests]=1
  if notices; then return; fi
  grep -m 1 -A 3 'error:' "$copy/build.log" || tail -5 "$copy/build.log"
  tail -20 "$copy/test.log" 2> /dev/null
  echo "the tests must pass before anything is taken out"
  echo "0 passed, 1 failed"
  exit 1
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
