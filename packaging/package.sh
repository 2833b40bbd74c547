#!/bin/sh
# Makes a program that can be installed: packaging/package.sh DIR [MODULES]
#
# DIR must not exist yet, and is where the program will run: its AOT cache is trained for that place. MODULES are the
# Maven modules to take, separated by commas (default: cli and all stores).
#
# In the environment:
#   JAVA_HOME            the JDK that builds, and for which the cache is trained
#   CHAGRES_DIST         take what a build has put into this directory, and build nothing
set -eu
umask 022
cd "$(dirname -- "$0")/.."

step() { printf 'package.sh: %s\n' "$*"; }

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 1
}

[ $# -ge 1 ] && [ -n "$1" ] || fail "usage: packaging/package.sh DIR [MODULES]"
program=$1
case $program in /*) ;; *) fail "$program has to be an absolute path" ;; esac
case $program in *:*) fail "cannot run from $program: a module path is split at colons" ;; esac
[ ! -e "$program" ] || fail "$program is there already"
. bin/find-jdk.sh
. bin/start.sh
require_jdk package.sh

modules=${2-cli}
[ $# -ge 2 ] || for pom in stores/*/pom.xml; do
    modules=$modules,${pom%/pom.xml}
done

# What --version will say: the commit that is built, and whether files differ from it.
build=
if [ -e .git ] && commit=$(git rev-parse --short HEAD 2>/dev/null); then
    build="commit $commit"
    [ -z "$(GIT_OPTIONAL_LOCKS=0 git status --porcelain 2>/dev/null)" ] || build="$build, modified"
fi

dist=${CHAGRES_DIST-}
if [ -z "$dist" ]; then
    dist=$PWD/cli/target/quick/dist
    step "starting Maven"
    rm -rf "$dist" # a jar of an older version would stay in it
    # The build is over before a second compiler would pay. The wrapper wants a HOME.
    HOME=${HOME:-$PWD/target} JAVA_HOME=$jdk MAVEN_OPTS="${MAVEN_OPTS--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}" \
        ./mvnw -B -Dquick -Dmaven.test.skip -pl "$modules" -am package </dev/null
fi
[ -d "$dist/lib" ] || fail "nothing is built in $dist"

step "copying"
trap 'rm -rf "$program"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$program/bin"
cp -R "$dist/lib" "$dist/native" "$program"
[ ! -d "$dist/stores" ] || cp -R "$dist/stores" "$program"
cp bin/find-jdk.sh bin/start.sh packaging/chagres packaging/mount.chagres "$program/bin"
printf '%s\n' "$build" >"$program/build"

# Command lines of the training's own (class Training), never the user's. Without success the program starts without a
# cache. Each store has a cache of its own, since a cache holds for one class path.
train() {
    mkdir "$program/training"
    "$jdk/bin/java" $flags -XX:AOTCacheOutput="$program/training/aot" \
        -DZstdNativePath="$program/native/libzstd-jni.so" ${class_path:+-cp "$class_path"} \
        -p "$modules" -m $main.Training "$program/training" $scheme </dev/null || step "training failed"
    mv "$program/training/aot" "$program/aot${scheme:+-$scheme}.cache" 2>/dev/null || :
    rm -rf "$program/training"
}

step "training"
choose_flags training
list_modules
list_stores
train
for store in "$program"/stores/*/; do
    [ -d "$store" ] || continue
    store=${store%/}
    step "training for ${store##*/}"
    list_stores "${store##*/}://"
    train
done
cache_key
printf '%s\n' "$key" >"$program/aot.key"
trap - EXIT
step "done"
