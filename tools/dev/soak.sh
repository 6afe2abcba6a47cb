# shellcheck shell=bash
# ./dev soak: mixed load on the dev build, which has the test plugins that the load asks for, or on a sanitizer's build of it.

dev_soak() {
  local preset=dev arguments=() prefix=()
  while [ $# -gt 0 ]; do
    case "$1" in
      --asan) preset=asan ;;
      --tsan) preset=tsan ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  if [ "$preset" != dev ]; then
    arguments+=(--skip-memory-check)
    export_sanitizer_options
  fi
  [ "$preset" != tsan ] || read -ra prefix < <(fixed_addresses) || true
  ensure_packages run test
  build_host "$preset"
  export DEV_BUILD="$root/build/$preset"
  exec "${prefix[@]}" python3 tools/dev/soak.py "${arguments[@]}"
}
