#!/bin/bash
# Writes the Rust declarations of the C headers (src/sys.rs) to stdout. Needs the Debian packages bindgen and rustfmt.
#   sdk/rust/bindings.sh > /tmp/sys.rs && mv /tmp/sys.rs sdk/rust/src/sys.rs
set -euo pipefail
abi=$(cd "$(dirname "${BASH_SOURCE[0]}")/../abi" && pwd)
headers=$(mktemp --suffix=.h)
trap 'rm -f "$headers"' EXIT
for header in "$abi"/tenon/*.h; do
  echo "#include <tenon/$(basename "$header")>"
done > "$headers"
bindgen=/usr/bin/bindgen
[ -x "$bindgen" ] || bindgen=bindgen
[ -x /usr/bin/rustfmt ] && export RUSTFMT=/usr/bin/rustfmt
"$bindgen" "$headers" --no-layout-tests --no-doc-comments --no-prepend-enum-name --rust-target 1.47 \
  --allowlist-type 'tenon_.*' --allowlist-var 'TENON_.*' --no-derive-debug \
  --raw-line '//! The C headers of sdk/abi, declared by sdk/rust/bindings.sh. Do not edit.' \
  --raw-line '#![allow(missing_docs, non_camel_case_types)]' -- -I "$abi" -std=c11
