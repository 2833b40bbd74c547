#!/bin/sh
# Runs all checks: what a contributor runs before a change is sent, and what the machines run after.
# Arguments go to Maven: './check.sh -pl watch -am' checks one module and what it needs.
set -eu
cd "$(dirname -- "$0")"
. bin/find-jdk.sh
require_jdk check.sh
export JAVA_HOME="$jdk"

# Reports of an earlier run would be counted again.
rm -rf -- */target/surefire-reports third/*/target/surefire-reports stores/*/target/surefire-reports

# -B            no colours and no progress of downloads: the output is read in logs
# -fae          goes on with the modules that do not depend on a failed one: one run shows all failures it can
# verify        compiles with all warnings, Error Prone and NullAway as errors, runs the tests of every module with
#               assertions enabled, checks the formatting (repair: ./mvnw spotless:apply)
# -Dseed        random tests take the numbers of this tree: what was green here is green elsewhere, and each change
#               tries others. One test alone takes new ones each time.
tree=$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c 1-15)
status=0
./mvnw -B -fae verify -Dseed="$(printf %d "0x${tree:-1}")" "$@" || status=$?

# The sum over all modules; Surefire says it for each.
cat -- */target/surefire-reports/*.txt */*/target/surefire-reports/*.txt 2>/dev/null | awk -F'[:,]' '
    /^Tests run:/ { run += $2; failed += $4; errors += $6; skipped += $8 }
    END { printf "Tests run: %d, Failures: %d, Errors: %d, Skipped: %d (all modules)\n", run, failed, errors, skipped }'
exit $status
