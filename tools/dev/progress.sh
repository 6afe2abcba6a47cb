# shellcheck shell=bash
# Progress for people: one line a step, its last output while it works, its log when it fails.

logs="$root/build/logs"

say() { printf '%s\n' "$*"; }

fail() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

# Shows the last line of a log until it is killed or ./dev is gone: in place on a terminal, else one line every 20 seconds.
follow_log() {
  local log=$1 width line shown=0
  if [ -t 1 ]; then
    width=$(($(tput cols 2>/dev/null || echo 80) - 6))
    while sleep 0.3 && kill -0 $$ 2>/dev/null; do
      line=$(tail -n 1 "$log" 2>/dev/null | tr -d '\r\033' | cut -c "1-$width") || true
      printf '\r\033[K    %s' "$line"
    done
  else
    while sleep 1 && kill -0 $$ 2>/dev/null; do
      shown=$((shown + 1))
      ((shown % 20 == 0)) || continue
      line=$(tail -n 1 "$log" 2>/dev/null | tr -d '\r\033' | cut -c 1-100) || true
      printf '    %s\n' "$line"
    done
  fi
}

# step TITLE COMMAND...: runs a command with its output in build/logs; returns its exit code.
step() {
  local title=$1 name log code=0 started=$SECONDS follower
  shift
  name=$(tr -c '[:alnum:]\n' '-' <<<"${title,,}")
  log="$logs/$name.log"
  mkdir -p "$logs"
  printf '==> %s\n' "$title"
  : >"$log"
  # Without the lock of the build: its last sleep outlives it.
  follow_log "$log" 9>&- &
  follower=$!
  "$@" >"$log" 2>&1 </dev/null || code=$?
  kill "$follower" 2>/dev/null || true
  wait "$follower" 2>/dev/null || true
  [ -t 1 ] && printf '\r\033[K'
  if [ "$code" -ne 0 ]; then
    # The first errors before the end of the log: a reader of long output sees its beginning.
    grep -m 10 -A 4 -E '(^|[^[:alpha:]])([Ee]rror|ERROR|FAILED|E)[: ]' "$log" | cut -c 1-300 | sed 's/^/    /' || true
    printf '    ...\n'
    tail -n 60 "$log" | sed 's/^/    /'
    printf '    failed with exit code %s after %s s; whole log: %s\n' "$code" "$((SECONDS - started))" "${log#"$root"/}"
    return "$code"
  fi
  printf '    done in %s s\n' "$((SECONDS - started))"
}
