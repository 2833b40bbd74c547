#!/bin/bash
# Lets a machine die at 1,000 random instants (or as many as the argument says) and prints what was lost beside what was
# said to be at risk. With CHAGRES_DIES_IN_S3=1 the archives lie in a server of S3.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-1000}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
test=MachineDiesTest
[ -z "${CHAGRES_DIES_IN_S3-}" ] || test='FaultsInS3Test$MachineDies'
./mvnw -B -q test -pl tests -am -Dtest="$test" -Dsurefire.failIfNoSpecifiedTests=false \
    -Dmachine.dies.runs="$runs" -Dmachine.dies.report="$rows"

# show COLUMN UNIT: p50, p99 and the largest of a column.
show() {
    tail -n +2 "$rows" | cut -d, -f"$1" | sort -n | awk -v unit="$2" '{ v[NR] = $1 }
        END { printf "p50 %d, p99 %d, max %d %s\n", v[int((NR + 1) / 2)], v[int(NR * 0.99 + 0.5)], v[NR], unit }'
}
echo "$(($(wc -l < "$rows") - 1)) machines died"
echo "lost:            $(show 2 ms)"
echo "lost:            $(show 3 bytes)"
echo "said at risk:    $(show 4 ms)"
echo "said at risk:    $(show 5 bytes)"
