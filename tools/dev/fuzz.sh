# shellcheck shell=bash
# ./dev fuzz: the targets of tests/fuzz, for as long as one likes. gate.py runs them for a fixed number of inputs.

# Targets whose name contains a part, one a line.
fuzz_targets() {
  local file
  for file in tests/fuzz/*.cpp; do
    file=${file##*/}
    case "${file%.cpp}" in *"$1"*) echo "${file%.cpp}" ;; esac
  done
}

dev_fuzz() {
  local seconds=60 target=""
  while [ $# -gt 0 ]; do
    case "$1" in
      --seconds)
        [ $# -gt 1 ] || fail "--seconds takes a number"
        seconds=$2
        shift
        ;;
      -*) fail "unknown option '$1', see ./dev help" ;;
      *) target=$1 ;;
    esac
    shift
  done
  [[ "$seconds" =~ ^[1-9][0-9]*$ ]] || fail "--seconds takes a number of at least 1, not '$seconds'"
  [ -n "$(fuzz_targets "$target")" ] || fail "no target is called '$target'; there are: $(fuzz_targets "" | paste -sd ' ')"
  ensure_packages run fuzz
  build_host fuzz
  exec python3 tests/fuzz/run.py build/fuzz --filter "$target" --seconds "$seconds"
}
