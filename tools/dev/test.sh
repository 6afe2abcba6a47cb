# shellcheck shell=bash
# ./dev test: installs what the tests need and hands over to gate.py. Also ./dev lint and ./dev fmt.

# A prefix that switches address randomisation off, which g++ 12's ThreadSanitizer needs on newer kernels; empty where it is not allowed.
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

dev_test() {
  local sections=(run test lint)
  # An early end still prints a count last.
  trap 'say "0 passed, 1 failed"' EXIT
  case " $* " in *" --full "*) sections+=(full) ;; esac
  ensure_packages "${sections[@]}"
  export_sanitizer_options
  trap - EXIT
  exec python3 tools/dev/gate.py --fixed-addresses "$(fixed_addresses)" "$@"
}

dev_lint() {
  ensure_packages run test lint
  ensure_ui || true
  python3 tools/dev/lint.py "$@"
}

dev_fmt() {
  ensure_packages run test lint
  ensure_node
  python3 tools/dev/lint.py --fix
}
