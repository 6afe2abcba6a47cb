# shellcheck shell=bash
# ./dev run: a release build, started with data in .data (or .data-demo).

demo_users() {
  local login role name
  while read -r login role name; do
    printf '%s\n' "$demo_password" |
      "$tenon" user add "$login" --role "$role" --name "$name" --password-stdin --data "$data" || return 1
  done <<'USERS'
ada admin Ada Keller
ben member Ben Okafor
cleo member Cleo Marchetti
USERS
}

# Passes the server's lines on; after "ready" it loads the demo once and shows where to go.
announce() {
  local line url
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case "$line" in
      "ready "*)
        url=${line#ready }
        if [ "$demo" = yes ] && [ ! -f "$data/demo-loaded" ]; then
          say "==> Loading sample content"
          TENON_URL="$url" TENON_LOGIN=ada TENON_PASSWORD="$demo_password" tools/demo/load && touch "$data/demo-loaded"
        fi
        printf '\n  Tenon is running:  %s\n' "$url"
        [ "$demo" != yes ] || printf '  Sign in as:        ada (admin), ben or cleo; password %s\n' "$demo_password"
        ;;
      "setup "*) printf '  First start:       open %s\n' "${line#setup }" ;;
    esac
  done
}

dev_run() {
  local demo=no data="$root/.data" tenon="$root/build/release/bin/tenon" demo_password="demo-demo-demo" lines server=0 code=0
  while [ $# -gt 0 ]; do
    case "$1" in
      --demo) demo=yes data="$root/.data-demo" ;;
      --)
        shift
        break
        ;;
      *) fail "run takes --demo and -- ARGS, not '$1'" ;;
    esac
    shift
  done
  ensure_packages run
  build_host release
  build_ui release
  if [ "$demo" = yes ] && [ ! -f "$data/demo-users" ]; then
    mkdir -p "$data"
    step "Creating sample users" demo_users
    touch "$data/demo-users"
  fi
  lines=$(mktemp -u "${TMPDIR:-/tmp}/tenon-dev-XXXXXX")
  mkfifo "$lines"
  announce <"$lines" &
  "$tenon" serve --data "$data" "$@" >"$lines" &
  server=$!
  trap 'kill -TERM "$server" 2>/dev/null || true' INT TERM HUP
  while :; do
    wait "$server" && code=0 || code=$?
    kill -0 "$server" 2>/dev/null || break
  done
  rm -f "$lines"
  wait
  return "$code"
}
