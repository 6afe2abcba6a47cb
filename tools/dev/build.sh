# shellcheck shell=bash
# Builds: the host and its plugins with CMake, the UI with npm, both into build/<preset>.

# lock_build PRESET [WHAT]: two ./dev at once wait for each other instead of breaking a build folder. Host, UI and SDK are
# built side by side, each under its own lock.
lock_build() {
  mkdir -p "build/$1"
  exec 9>"build/$1/.dev${2:+-$2}.lock"
  flock -n 9 || { say "==> Waiting for another ./dev in build/$1" && flock 9; }
}

unlock_build() { exec 9>&-; }

# build_host PRESET [TARGET...]: configures once, then lets Ninja decide.
build_host() {
  local preset=$1 dir="build/$1" stamp title="Building the host and plugins ($1)"
  shift
  lock_build "$preset"
  stamp=$(stamp_of CMakePresets.json)
  if [ ! -f "$dir/build.ninja" ] || [ "$(cat "$dir/.presets-stamp" 2>/dev/null)" != "$stamp" ]; then
    step "Configuring ($preset)" cmake --preset "$preset"
    printf '%s' "$stamp" >"$dir/.presets-stamp"
  fi
  step "$title" ninja -C "$dir" "$@"
  unlock_build
}

# Everything the UI is made of, by name, size and time.
ui_sources_stamp() {
  find shell-ui plugin-ui tools/node/package-lock.json \
    \( -name node_modules -o -name dist \) -prune -o -type f -printf '%p %s %T@\n' 2>/dev/null |
    LC_ALL=C sort | sha256sum | cut -d ' ' -f 1
}

# build_ui PRESET: the shell into share/tenon/ui, each plugin's UI into lib/tenon/plugins/<id>/ui.
build_ui() {
  local preset=$1 out="$root/build/$1" stamp
  ensure_ui || return 0
  lock_build "$preset" ui
  stamp=$(ui_sources_stamp)
  if [ "$(cat "$out/.ui-stamp" 2>/dev/null)" != "$stamp" ] || [ ! -f "$out/share/tenon/ui/index.html" ]; then
    rm -f "$out/.ui-stamp"
    step "Building the UI ($preset)" env TENON_UI_OUT="$out/share/tenon/ui" \
      TENON_PLUGINS_OUT="$out/lib/tenon/plugins" npm run build --prefix shell-ui
    printf '%s' "$stamp" >"$out/.ui-stamp"
  fi
  unlock_build
}

# build_sdk PRESET: the packages that pages of plugins outside of this tree are made with, as tarballs.
build_sdk() {
  local preset=$1 out="$root/build/$1/share/tenon/sdk/npm" stamp
  ensure_ui || return 0
  lock_build "$preset" sdk
  stamp=$(find shell-ui/packages shell-ui/tools shell-ui/tsconfig.json shell-ui/package-lock.json \
    -name node_modules -prune -o -type f -printf '%p %s %T@\n' | LC_ALL=C sort | sha256sum | cut -d ' ' -f 1)
  if [ "$(cat "$root/build/$preset/.sdk-stamp" 2>/dev/null)" != "$stamp" ] || [ ! -d "$out" ]; then
    rm -f "$root/build/$preset/.sdk-stamp"
    step "Packing the SDK's npm packages ($preset)" env TENON_SDK_NPM_OUT="$out" npm run sdk --prefix shell-ui
    printf '%s' "$stamp" >"$root/build/$preset/.sdk-stamp"
  fi
  unlock_build
}

# build_docs PRESET: the documentation site into share/tenon/docs.
build_docs() {
  local preset=$1 out="$root/build/$1/share/tenon/docs" stamp
  ensure_ui
  npm_install docs/site "Installing VitePress"
  lock_build "$preset" docs
  stamp=$(find docs host/openapi/core sdk/abi sdk/cpp sdk/schema sdk/examples sdk/README.md shell-ui/README.md shell-ui/packages shell-ui/gallery \
    \( -name node_modules -o -name .content -o -name dist \) -prune -o -type f -printf '%p %s %T@\n' |
    LC_ALL=C sort | sha256sum | cut -d ' ' -f 1)
  if [ "$(cat "$root/build/$preset/.docs-stamp" 2>/dev/null)" != "$stamp" ] || [ ! -f "$out/index.html" ]; then
    rm -f "$root/build/$preset/.docs-stamp"
    step "Building the documentation ($preset)" env TENON_DOCS_OUT="$out" npm run build --prefix docs/site
    printf '%s' "$stamp" >"$root/build/$preset/.docs-stamp"
  fi
  unlock_build
}

dev_docs() {
  [ $# -eq 0 ] || fail "docs takes no arguments"
  build_docs release
  say "The site is in build/release/share/tenon/docs. A server shows it at /docs/."
}

dev_build() {
  [ $# -eq 0 ] || fail "build takes no arguments"
  ensure_packages run
  build_host release
  build_ui release
  build_sdk release
  build_docs release
  say "build/release/bin/tenon is ready: build/release/bin/tenon serve --data DIR"
}
