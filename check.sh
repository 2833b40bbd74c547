#!/bin/sh
# Builds and tests.
#
#   ./check.sh                   everything, as a change must pass it and as CI runs it
#   ./check.sh fast              the tests of all modules that need nothing but a JDK, and little time
#   ./check.sh long              those that need no more, and take long
#   ./check.sh it                those that need the machine: the superuser, mounts, servers of object stores
#   ./check.sh e2e               those of the whole program
#   ./check.sh soak              everything, and the whole of each long search, which takes hours
#   ./check.sh times             where the time of the last run went, also into docs/TESTING.md; nothing is run
#   ./check.sh ship stores/s3    the tests of modules; 'fast tests' only the fast ones, 'fast it' all of both kinds
#   ./check.sh -t NAME ship      tests of a module by name: Class, Class#method, or a pattern of Surefire
#
# Of a long search - models, random histories, mutations, hostile inputs, crash images - the others run a share, which the
# commit chooses; -Dshare=0/1 runs all of it. CONTRIBUTING.md says what shares of several commits cover.
#
# Other arguments that begin with '-' go to Maven. Only the first compiles with Error Prone and NullAway and checks the
# formatting (repair: ./mvnw -pl '!bom' spotless:apply). The last line is the sum over all modules.
set -eu
cd "$(dirname -- "$0")"
. bin/find-jdk.sh
require_jdk check.sh
export JAVA_HOME="$jdk"
export PATH="$PATH:/usr/sbin:/sbin" # where programs are that make file systems
umask 022                           # some tests hand files to another user

fast='!it & !e2e & !long & !unchecked'
long='(long | unchecked) & !it & !e2e'
mode=full tags='' modules='' name='' shares=10
# take MODE EXPRESSION: takes tests by their tags too.
take() {
    [ $mode = whole ] || mode=$1
    tags="${tags:+$tags | }$2"
}
left=$#
while [ $left -gt 0 ]; do
    argument=$1
    shift
    left=$((left - 1))
    case $argument in
        fast) take quick "$fast" ;;
        long) take quick "$long" ;;
        it) take quick it ;;
        e2e) take whole e2e ;;
        soak) shares=1 ;;
        times) mode=times ;;
        -t)
            [ $left -gt 0 ] || { echo "check.sh: -t needs the name of a test" >&2 && exit 2; }
            name=$1
            shift
            left=$((left - 1))
            ;;
        -*) set -- "$@" "$argument" ;;
        *)
            argument=${argument%/}
            [ -f "$argument/pom.xml" ] || { echo "check.sh: there is no module $argument" >&2 && exit 2; }
            modules=$modules${modules:+ }$argument
            ;;
    esac
done
[ -z "$name" ] || [ -n "$modules" ] || { echo "check.sh: -t needs a module" >&2 && exit 2; }

kit=testkit/src/main/java/io/chagres/testkit
[ $mode != times ] || exec "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 $kit/TestTimes.java . target/check.log \
    docs/TESTING.md

# The modules that these need are compiled; of their tests none is run.
tests=''
for module in $modules; do
    [ $mode != full ] || mode=quick
    case $module in tests | bench) [ "$tags" = "$fast" ] || mode=whole ;; esac
    [ -d "$module/src/test" ] || continue
    tests=$tests${tests:+,}${name:-io/chagres/$(ls "$module/src/test/java/io/chagres")/**/*Test}
done
[ -z "$modules" ] || set -- -pl "$(echo "$modules" | tr ' ' ,)" -am \
    -Dtest="${tests:-None}" -Dsurefire.failIfNoSpecifiedTests=false "$@"
case $mode in
    full) set -- verify "$@" ;;
    whole) set -- package -Dquick "$@" ;; # the program is put together too
    quick) set -- test -q -Dquick "$@" ;;
esac

# What was compiled with the checkers need not be compiled without them: it is copied, with what Maven noted of its sources,
# where it is newer than the last copy. Nothing goes the other way.
take_checked() {
    for noted in */target/maven-status */*/target/maven-status; do
        [ -d "$noted" ] || continue
        from=${noted%/maven-status}
        to=$from/quick
        mkdir -p "$to"
        [ -e "$to/taken" ] || touch -d @0 "$to/taken"
        [ -n "$(find "$noted" -name inputFiles.lst -newer "$to/taken")" ] || continue
        rm -rf "$to/classes" "$to/test-classes" "$to/maven-status"
        (cd "$from" && tar --exclude=./quick --exclude=./programs --exclude=./surefire-reports -cf - .) | tar -C "$to" -xf -
        find "$to/maven-status" -name '*.lst' -exec sed -i 's|/target/|/target/quick/|' {} +
        touch "$to/taken"
    done
}
[ $mode = full ] || take_checked

# Reports of an earlier run would be counted again.
find . -name .git -prune -o -name src -prune -o -type d -name surefire-reports -prune -exec rm -rf {} +

# -B        no colours and no progress of downloads: the output is read in logs
# -fae      continues with the modules that do not depend on one that could not be built, and a failed test is no reason not
#           to run those of other modules: one run shows all failures
# -T 2      two modules beside each other: their tests share nothing of the machine
# -Dseed    random tests take the numbers of this tree but for its documents: what was green here is green elsewhere, and
#           each change of code tries others. One test alone takes new ones each time.
# -Dshare   K/N: of the cases of a long search each N-th from case K on; of suites that are alike, those whose turn it is
tree=$(git ls-tree -r HEAD 2>/dev/null | grep -Ev '\.md$|\sdocs/|\sbench/' | git hash-object --stdin | cut -c 1-15)
if [ -n "$name" ]; then seed=$(date +%s%N); else seed=$(printf %d "0x${tree:-1}"); fi
commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
set -- -Dseed="$seed" -Dshare=$((commits % shares))/$shares "$@" # those that were given count
[ -z "$name" ] || set -- -Dshare.all=true "$@"
# Alone they run on a class path, where the JVM starts sooner; the check without arguments runs them in modules. Only what is
# 'unchecked' needs the second compiler, and a JVM of its own.
[ "$tags" != "$fast" ] || set -- -Dunchecked.skip=true -Dtest.modules=false -Dtest.exports= -Dnative.access=ALL-UNNAMED \
    -Dtest.jvm='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' "$@"
# Surefire starts a JVM to read tags: a module of which all classes have one needs none. Nested classes are not run alone.
if [ "$tags" = "$fast" ] && [ -z "$modules" ]; then
    mkdir -p target
    {
        echo '**/*$*'
        grep -rlE '^@Tag\("(it|e2e|long)"\)' --include='*Test.java' */src/test/java */*/src/test/java |
            sed 's|.*/src/test/java/||'
    } >target/tagged.txt
    set -- -Dsurefire.excludesFile="$PWD/target/tagged.txt" "$@"
fi
[ $shares != 1 ] || set -- -Djunit.jupiter.execution.timeout.mode=disabled "$@"
# A second compiler costs more than it saves, also where everything is compiled and looked at.
export MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${MAVEN_OPTS-}"
mkdir -p target
{
    status=0
    ./mvnw -B -fae -T 2 -Dmaven.test.failure.ignore -Dtest.tags="${tags:-any() | none()}" "$@" || status=$?
    echo $status >target/check.status
} | tee target/check.log
read -r status <target/check.status

report=$(find . -name 'TEST-*.xml' -path '*/surefire-reports/*' -print -quit)
if [ -n "$name" ] && [ -z "$report" ] && [ "$status" = 0 ]; then
    echo "check.sh: no test of $modules is called $name" >&2
    status=1
fi

slowest=0
[ "${CI-}" != true ] || slowest=20
# What this run compiled starts a second sooner than a source, which is what there is if it could not be compiled.
classes=testkit/target/quick/classes
[ $mode != full ] || classes=testkit/target/classes
set -- $kit/TestSummary.java
[ ! $classes/io/chagres/testkit/TestSummary.class -nt $kit/TestSummary.java ] ||
    set -- -cp $classes io.chagres.testkit.TestSummary
"$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 "$@" . target/check.log $slowest || status=1
exit "$status"
