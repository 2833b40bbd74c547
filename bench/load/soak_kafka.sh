#!/usr/bin/env bash
# Kills what is between files and Kafka at random moments, 80 times, five times over unless told otherwise:
# bench/load/soak_kafka.sh [TIMES [SEED]]
#
# They are the whole of the fault tests of forwarding (a check runs a share): forwarder, shipper and broker, compaction under them, the
# one process that does both, lost answers and transactions that take too long. A consumer of what is committed must
# see each line once and each file in order. A kill takes 5 to 10 s. Needs a JDK >= 25.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../../bin/find-jdk.sh"

require_jdk soak_kafka
export JAVA_HOME=$jdk
cd "$HERE/../.."
first=${2:-$(date +%s%N)}
for ((time = 0; time < ${1:-5}; time++)); do
    ./check.sh -t 'ForwardFaultsTest#eachLine*,ShipKafkaTest#eachLine*,KafkaLinkFaultsTest#a*' tests \
        -Dshare=0/1 -Dseed=$((first + time))
done
