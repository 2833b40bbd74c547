#!/usr/bin/env bash
# Tries the shipper on random runs, a million of them unless told otherwise: bench/load/soak_ship.sh [RUNS [SEED]]
#
# It is the model test of the module ship with another number; the first run that goes wrong ends it and is printed,
# shortened, as a case of ShipModelCasesTest. A run takes 10 to 30 ms of CPU. Needs a JDK >= 25.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../../bin/find-jdk.sh"

require_jdk soak_ship
export JAVA_HOME=$jdk
cd "$HERE/../.."
runs=10000 # that the test makes at most
first=${2:-$(date +%s%N)}
for ((run = 0; run < ${1:-1000000}; run += runs)); do
    ./check.sh -t ShipModelTest ship -Dshare=0/1 -Dseed=$((first + run))
done
