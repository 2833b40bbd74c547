#!/usr/bin/env bash
# Measures what the launcher of a checkout costs: the first use of a fresh clone with an empty Maven repository, a use
# without a change, and a use after one line has changed, in the module at the top and in one at the bottom.
#
# bench/load/first_use.sh [COMMIT] prints a Markdown table. It needs the network; Maven itself is not downloaded again.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
git clone -q "$(dirname "$0")/../.." "$directory/chagres"
cd "$directory/chagres"
git checkout -q "${1:-HEAD}"
export MAVEN_ARGS="-Dmaven.repo.local=$directory/repository"
TIMEFORMAT='%R %U %S'

use() {
    { time ./chagres --version >/dev/null 2>"$directory/messages"; } 2>"$directory/time" || cat "$directory/messages" >&2
    awk -v what="$1" '{ printf "| %s | %.2f s | %.2f s |\n", what, $1, $2 + $3 }' "$directory/time"
}

printf '| `./chagres --version` | wall | CPU |\n|---|---|---|\n'
use 'first use, empty Maven repository'
use 'nothing changed'
echo '// changed' >>"$(find cli/src/main -name Main.java)"
use 'one line changed in `cli`'
echo '// changed' >>"$(find foreign/src/main -name Errno.java)"
use 'one line changed in `foreign`'
