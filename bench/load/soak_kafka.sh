#!/usr/bin/env bash
# Kills what is between files and Kafka at random moments, 200 times unless told otherwise:
# bench/load/soak_kafka.sh [KILLS [SEED]]
#
# They are the fault tests of forwarding with another number: forwarder, shipper and broker, compaction under them, the
# one process that does both, lost answers and transactions that take too long. A consumer of what is committed must
# see each line once and each file in order. A kill takes 5 to 10 s. Needs a JDK >= 25.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../../bin/find-jdk.sh"

require_jdk soak_kafka
export JAVA_HOME=$jdk
cd "$HERE/../.."
kills=${1:-200}
exec ./check.sh -t 'ForwardFaultsTest#eachLine*,ShipKafkaTest#eachLine*,KafkaLinkFaultsTest#a*' tests \
    -Dkafka.kills="$kills" -Dkafka.rounds="$((kills / 10 + 1))" ${2:+-Dseed="$2"}
