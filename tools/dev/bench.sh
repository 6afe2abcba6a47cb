# shellcheck shell=bash
# ./dev bench: the release build, its peers, the figures.

# Installs the npm packages of bench/peers. If that fails, the bench reports it and continues without them.
ensure_peers() {
  local peers=bench/peers addon=bench/peers/node_modules/sqlite3 npm=tools/node/node_modules/npm
  # In a shell of its own first: it ends ./dev when it fails.
  if ! (ensure_node) || ! { ensure_node && npm_install "$peers" "Installing PocketBase, Fastify and Directus"; }; then
    say "    continuing without PocketBase, Fastify and Directus"
    return 0
  fi
  # npm runs no scripts of packages; of those that these need, only this one ships nothing that is built.
  [ -f "$addon/build/Release/node_sqlite3.node" ] ||
    step "Building SQLite for Directus" node "$npm/node_modules/node-gyp/bin/node-gyp.js" rebuild --release -j 2 \
      --directory "$addon" --nodedir "$(dirname "$(dirname "$(command -v node)")")" ||
    say "    continuing without Directus"
}

dev_bench() {
  ensure_packages run bench
  build_host release all bench_programs
  build_ui release
  if [[ "$*" == *--check* || "$*" == *--profile* ]]; then exec env DEV_BUILD="$root/build/release" python3 bench/bench.py "$@"; fi
  local argument are_needed=yes
  for argument in "$@"; do
    case $argument in
      records | data | start | growth) are_needed=yes && break ;;
      http | static | crossing | streams | writes | crash | upgrades | changes | many) are_needed=no ;;
    esac
  done
  if [ "$are_needed" = yes ]; then ensure_peers; fi
  exec env DEV_BUILD="$root/build/release" python3 bench/bench.py "$@"
}
