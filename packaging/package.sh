#!/bin/sh
# Makes a program: packaging/package.sh [--runtime] DIR [MODULES]
#
# DIR must not exist yet. MODULES are the Maven modules to take, separated by commas (default: cli, faultfs and all stores).
# With --runtime the program has a Java runtime of its own, which holds its modules and what they need of the JDK: it needs
# no JDK, and may be moved (packaging/build.sh makes packages of it). Without, it needs the JDK that trained its AOT cache,
# and runs in DIR only, since a cache knows jars by their names.
#
# In the environment:
#   JAVA_HOME            the JDK that builds, and for which the cache is trained
#   CHAGRES_DIST         take what a build has put into this directory, and build nothing
#   CHAGRES_COMMIT       the commit that --version names, where the sources are in no checkout
#   CHAGRES_AOT          a directory that holds the AOT caches of an earlier build of the same sources: none is trained
#   CHAGRES_TARGET_JDK   with --runtime: a JDK of another architecture and the same version, with its 'jmods', for which
#                        the program is made. It has no AOT cache, which is made where a program runs: it starts slower
#   SOURCE_DATE_EPOCH    the time of all files
set -eu
umask 022
cd "$(dirname -- "$0")/.."

step() { printf 'package.sh: %s\n' "$*"; }

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 1
}

own_runtime=
case ${1-} in --runtime)
    own_runtime=1
    shift
    ;;
esac
[ $# -ge 1 ] && [ -n "$1" ] || fail "usage: packaging/package.sh [--runtime] DIR [MODULES]"
program=$1
case $program in /*) ;; *) fail "$program has to be an absolute path" ;; esac
case $program in *:*) fail "cannot run from $program: a module path is split at colons" ;; esac
[ ! -e "$program" ] || fail "$program is there already"
. bin/find-jdk.sh
. bin/start.sh
require_jdk package.sh

modules=${2-cli,faultfs}
[ $# -ge 2 ] || for pom in stores/*/pom.xml sinks/*/pom.xml; do
    modules=$modules,${pom%/pom.xml}
done

# What --version will say: the commit that is built, and whether files differ from it.
build=${CHAGRES_COMMIT:+commit $CHAGRES_COMMIT}
if [ -z "$build" ] && [ -e .git ] && commit=$(git rev-parse --short HEAD 2>/dev/null); then
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
cp -R "$dist/native" "$program"
[ ! -d "$dist/stores" ] || cp -R "$dist/stores" "$program"
cp bin/find-jdk.sh bin/start.sh packaging/chagres packaging/mount.chagres "$program/bin"
faults=
case ,$modules, in
    *,faultfs,*)
        faults=,io.chagres.faultfs
        cp packaging/chagres-faultfs "$program/bin"
        ;;
esac
printf '%s\n' "$build" >"$program/build"
jmods=
if [ -n "${CHAGRES_TARGET_JDK-}" ]; then
    [ -n "$own_runtime" ] && [ -d "$CHAGRES_TARGET_JDK/jmods" ] ||
        fail "CHAGRES_TARGET_JDK wants --runtime, and has a folder jmods"
    jmods=$CHAGRES_TARGET_JDK/jmods:
    arch=$(sed -n 's/^OS_ARCH="\(.*\)"/\1/p' "$CHAGRES_TARGET_JDK/release")
    case $arch in x86_64) folder=linux/amd64 ;; *) folder=linux/$arch ;; esac
    zstd=$(CDPATH='' cd -- "$dist/lib" && pwd)/$(cd "$dist/lib" && ls zstd-jni-*.jar)
    (cd "$program/native" && "$jdk/bin/jar" -xf "$zstd" "$folder" && mv "$folder"/*.so libzstd-jni.so && rm -r linux)
fi
if [ -z "$own_runtime" ]; then
    cp -R "$dist/lib" "$program"
else
    # Beside what the modules require: what the jars of stores use, which are no modules, and what the JDK finds by name.
    # Native code of all systems in a jar is left out: the one that fits lies in the folder native.
    step "linking a runtime"
    "$jdk/bin/jlink" --module-path "$jmods$dist/lib" --output "$program/runtime" \
        --add-modules "${main%/*}$faults,java.management,java.naming,java.sql,jdk.security.jgss" \
        --no-header-files --no-man-pages --compress zip-6 --exclude-resources '**.so,**.dll,**.dylib,**.jnilib'
    jdk=$program/runtime
fi

# A cache also knows jars by their times, which a package sets.
[ -z "${SOURCE_DATE_EPOCH-}" ] || find "$program" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

# Command lines of the training's own (class Training), never the user's. Without success the program starts without a
# cache. Each store has a cache of its own, since a cache holds for one class path. What the training called often says
# nothing of a short command, which would be compiled for nothing. The second compiler would cost the training as much.
train() {
    mkdir "$program/training"
    "$jdk/bin/java" $flags -XX:TieredStopAtLevel=1 -XX:-AOTRecordTraining -XX:AOTCacheOutput="$program/training/aot" \
        -DZstdNativePath="$program/native/libzstd-jni.so" ${class_path:+-cp "$class_path"} \
        ${modules:+-p "$modules"} -m $main.Training "$program/training" $scheme </dev/null || step "training failed"
    mv "$program/training/aot" "$program/aot${scheme:+-$scheme}.cache" 2>/dev/null || :
    rm -rf "$program/training"
}

if [ -n "$jmods" ]; then
    trap - EXIT
    step "done"
    exit 0
fi
if [ -n "${CHAGRES_AOT-}" ]; then
    cp -p "$CHAGRES_AOT"/aot*.cache "$program"
    trap - EXIT
    step "done"
    exit 0
fi
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
if [ -z "$own_runtime" ]; then
    cache_key
    printf '%s\n' "$key" >"$program/aot.key"
fi
trap - EXIT
step "done"
