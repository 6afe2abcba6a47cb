# shellcheck shell=bash
# Installs what a fresh Debian 12 lacks: apt packages of tools/packages.txt, the pinned Node, npm dependencies.

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "packages are missing and this is neither root nor is sudo there; as root: apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
}

# section_packages SECTION: the names in that section of tools/packages.txt.
section_packages() {
  awk -v section="[$1]" '/^\[/ { inside = ($0 == section); next } inside && !/^#/ && NF { print $1 }' tools/packages.txt
}

# Names out of its arguments that dpkg does not know as installed.
missing_of() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  local name
  for name in "$@"; do
    grep -q "^installed $name\$" <<<"$installed" || printf '%s\n' "$name"
  done
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  local options=(-y --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  as_root apt-get "${options[@]}" install "${missing[@]}" && return 0
  as_root apt-get update -o DPkg::Lock::Timeout=300 && as_root apt-get "${options[@]}" install "${missing[@]}"
}

# ensure_packages SECTION...: installs what is missing from those sections; silent when nothing is.
ensure_packages() {
  local section wanted=()
  for section in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(section_packages "$section")
  done
  mapfile -t missing < <(missing_of "${wanted[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "needs Debian 12; missing packages: ${missing[*]}"
  step "Installing ${#missing[@]} Debian packages" apt_install
}

# A content stamp of files: ./dev does a step again only when this changed.
stamp_of() { sha256sum "$@" | sha256sum | cut -d ' ' -f 1; }

# npm_install DIR TITLE: npm ci, unless node_modules belongs to this lockfile already.
npm_install() {
  local dir=$1 title=$2 stamp
  stamp=$(stamp_of "$dir/package-lock.json" "$dir/package.json" tools/node/package-lock.json)
  [ "$(cat "$dir/node_modules/.tenon-stamp" 2>/dev/null)" != "$stamp" ] || return 0
  step "$title" npm ci --prefix "$dir" --ignore-scripts --no-fund --no-audit --loglevel=http
  printf '%s' "$stamp" >"$dir/node_modules/.tenon-stamp"
}

has_usable_npm() {
  command -v npm >/dev/null && command -v node >/dev/null &&
    node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)'
}

# Puts the pinned Node and npm first in PATH, installing them when needed.
ensure_node() {
  local bin="$root/tools/node/node_modules/.bin" pinned
  if [ ! -x "$bin/npm" ] || [ "$(cat tools/node/node_modules/.tenon-stamp 2>/dev/null)" != \
    "$(stamp_of tools/node/package-lock.json tools/node/package.json tools/node/package-lock.json)" ]; then
    has_usable_npm || ensure_packages node
    npm_install tools/node "Installing Node and npm"
  fi
  # Not .bin/node: npm 9 leaves that link out.
  pinned=$(echo "$root"/tools/node/node_modules/node-linux-*/bin)
  export PATH="$pinned:$bin:$PATH"
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)' ||
    fail "needs Node 22 or newer; node --version says $(node --version)"
}

# Node and the npm packages of the UI.
ensure_ui() {
  [ -f shell-ui/package.json ] || return 1
  ensure_node
  npm_install shell-ui "Installing the UI's packages"
}
