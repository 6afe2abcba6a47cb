# shellcheck shell=bash
# ./dev test: builds, runs every part, and closes with "N passed, N failed" over all of them.

# Each part leaves JUnit XML in $results; tools/dev/tally.py adds them up. A part that leaves none counts as failed.
part() {
  local name=$1 title=$2
  shift 2
  parts+=("$name")
  rm -f "$results/$name.xml"
  step "$title" env DEV_RESULTS="$results/$name.xml" "$@" || true
}

wanted() { [ -z "$only" ] || grep -q ",$1," <<<",$only,"; }

# A prefix that switches address randomisation off, which g++ 12's ThreadSanitizer needs on newer kernels.
fixed_addresses() {
  if setarch "$(uname -m)" -R true 2>/dev/null; then
    echo "setarch $(uname -m) -R"
  fi
}

# Every finding of a sanitizer ends the program with a failure.
export_sanitizer_options() {
  # Not detect_stack_use_after_return: with it g++ 12 misaligns what is aligned to a cache line (GCC bug 110027).
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=$root/tools/tsan.supp
}

test_unit() {
  local pick=()
  [ -z "$1" ] || pick=(-R "$1")
  part unit "Unit and ABI tests ($preset)" "${prefix[@]}" ctest --test-dir "build/$preset" -j "$(nproc)" --timeout 300 \
    --no-tests=ignore --output-on-failure --output-junit "$results/unit.xml" "${pick[@]}"
}

test_ui() {
  local pick=()
  [ -z "$1" ] || pick=(-t "$1")
  part ui "UI unit tests" npm test --prefix shell-ui -- --reporter=default --reporter=junit \
    --outputFile.junit="$results/ui.xml" "${pick[@]}"
}

test_e2e() {
  local pick=()
  [ -z "$1" ] || pick=(--test-name-pattern "$1")
  part e2e "Browser tests" node --test --test-concurrency=1 --test-force-exit --test-timeout=300000 --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=junit --test-reporter-destination="$results/e2e.xml" "${pick[@]}" "tests/e2e/**/*.test.mjs"
}

dev_test() {
  local preset=dev only="" filter="" sanitizer="" fuzzes="" prefix=() results parts=()
  while [ $# -gt 0 ]; do
    case "$1" in
      --asan) preset=asan sanitizer=yes ;;
      --tsan) preset=tsan sanitizer=yes ;;
      --only)
        [ $# -gt 1 ] || fail "--only takes a list of parts"
        only=$2
        shift
        ;;
      -*) fail "unknown option '$1', see ./dev help" ;;
      *) filter=$1 ;;
    esac
    shift
  done
  [ -z "$sanitizer" ] || only=${only:-unit,integration}
  [ "$preset" != tsan ] || read -ra prefix < <(fixed_addresses) || true
  results="$root/build/$preset/results"
  rm -rf "$results"
  mkdir -p "$results"

  # Whatever ends this early still closes with a count.
  trap 'say "0 passed, 1 failed"' EXIT
  ensure_packages run test
  build_host "$preset"
  [ -n "$sanitizer" ] || build_ui "$preset"
  # Needed by the tests of the installed SDK, which are unit's.
  if wanted unit && [ -z "$sanitizer" ]; then build_sdk "$preset"; fi
  if wanted integration; then
    ensure_node
    npm_install tests/openapi "Installing the judges of the API's description"
  fi
  if wanted fuzz && [ -z "$sanitizer" ] && [ -n "$(fuzz_targets "$filter")" ]; then
    build_host fuzz
    fuzzes=yes
  fi

  export DEV_BUILD="$root/build/$preset" PYTHONDONTWRITEBYTECODE=1
  export_sanitizer_options

  wanted architecture && part architecture "Architecture tests" python3 tests/run.py tests/architecture "$filter"
  wanted lint && [ -z "$filter" ] && part lint "Lint" python3 tools/dev/lint.py
  wanted unit && test_unit "$filter"
  [ -z "$fuzzes" ] || test_fuzz "$filter"
  wanted integration && part integration "Integration tests ($preset)" \
    "${prefix[@]}" python3 tests/run.py tests/integration "$filter"
  wanted integration && part integration-postgresql "Integration tests on PostgreSQL ($preset)" \
    "${prefix[@]}" python3 tests/run.py tests/integration "$filter" --engine postgresql
  # Its disk is preloaded, which the sanitizers' own preloading does not bear.
  [ -z "$sanitizer" ] && wanted faults && part faults "Faults in storage" python3 tests/run.py tests/faults "$filter"
  if [ -z "$sanitizer" ] && [ -f shell-ui/package.json ]; then
    wanted ui && test_ui "$filter"
    wanted e2e && [ -f tests/e2e/package.json ] && test_e2e "$filter"
  fi
  trap - EXIT
  python3 tools/dev/tally.py "$results" "${parts[@]}"
}

dev_lint() {
  ensure_packages run test
  ensure_ui || true
  python3 tools/dev/lint.py "$@"
}

dev_fmt() {
  ensure_packages run test
  ensure_node
  python3 tools/dev/lint.py --fix
}
