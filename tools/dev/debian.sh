# shellcheck shell=bash
# A Debian 12 in build/debian, with what docs/write-a-plugin.md and docs/administration.md name for building plugins, and
# nothing of this tree. tests/e2e/fresh-debian.test.mjs installs Tenon and its SDK there.

debian_packages=(
  build-essential cmake nlohmann-json3-dev python3 ca-certificates
  libpocoutil80 libpoconet80 libpocojson80 libpoconetssl80 libsodium23 libsqlite3-0 libdate-tz3 tzdata
)

# in_debian COMMAND...: runs a command in the root.
in_debian() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot build/debian "$@"
}

make_debian() {
  rm -rf build/debian
  debootstrap --variant=minbase bookworm build/debian
  cp /etc/resolv.conf build/debian/etc/
  in_debian apt-get install -y --no-install-recommends "${debian_packages[@]}"
  in_debian apt-get clean
  mkdir -p build/debian/opt/node
  cp -a tools/node/node_modules/node-linux-*/. build/debian/opt/node/
  mkdir -p build/debian/opt/node/lib/node_modules
  cp -a tools/node/node_modules/npm build/debian/opt/node/lib/node_modules/
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js build/debian/opt/node/bin/npm
}

# Makes the root once, and again when its packages or Node changed. Without the rights for it there is none.
build_debian() {
  local stamp
  ensure_node
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    rm -rf build/debian
    say "No Debian in build/debian: that needs root and debootstrap."
    return 0
  fi
  stamp=$(printf '%s\n' "${debian_packages[@]}" | cat - tools/node/package-lock.json | sha256sum)
  [ "$(cat build/debian/.stamp 2>/dev/null)" != "$stamp" ] || return 0
  step "Installing a Debian in build/debian" make_debian
  printf '%s' "$stamp" >build/debian/.stamp
}
