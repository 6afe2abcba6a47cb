#!/usr/bin/env bash
# Runs one function of tools/dev/*.sh, for gate.py: tools/dev/call.sh FUNCTION ARGUMENT...
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

# shellcheck source=tools/dev/progress.sh
source tools/dev/progress.sh
# shellcheck source=tools/dev/ensure.sh
source tools/dev/ensure.sh
# shellcheck source=tools/dev/build.sh
source tools/dev/build.sh
# shellcheck source=tools/dev/debian.sh
source tools/dev/debian.sh

"$@"
