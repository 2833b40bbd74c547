# Finds a JDK for the scripts beside this folder. Sourced by them, never run.
# It uses the shell's own means: every start of the program passes here, and each process would cost a millisecond.

required_jdk=25
jdk_tool=javac # what it must hold: a program that is built needs java only
jdk_seen=

# jdk_of DIRECTORY: sets jdk and jdk_release if the directory holds a JDK that is new enough; else notes what it is.
jdk_of() {
    [ -n "$1" ] && [ -x "$1/bin/java" ] || return 1
    jdk_release=
    if [ -r "$1/release" ]; then
        while IFS='=' read -r jdk_name jdk_value; do
            case $jdk_name in
                JAVA_VERSION | JAVA_RUNTIME_VERSION | IMPLEMENTOR) jdk_release="$jdk_release $jdk_name=$jdk_value" ;;
                MODULES) break ;; # long, and after all that matters
            esac
        done <"$1/release"
    fi
    jdk_version=${jdk_release##*JAVA_VERSION=\"}
    jdk_version=${jdk_version%%\"*}
    jdk_major=${jdk_version%%[!0-9]*}
    if [ "${jdk_major:-0}" -lt $required_jdk ]; then
        jdk_seen="$jdk_seen
    $1 (${jdk_version:-unknown version})"
        return 1
    fi
    if [ ! -x "$1/bin/$jdk_tool" ]; then
        jdk_seen="$jdk_seen
    $1 ($jdk_version, but a runtime without compiler)"
        return 1
    fi
    jdk=$1
}

# find_jdk: sets jdk, jdk_version and jdk_release, or returns 1 with what was seen in jdk_seen.
find_jdk() {
    jdk_of "${JAVA_HOME-}" && return
    if jdk_java=$(command -v java); then
        jdk_java=$(readlink -f -- "$jdk_java")
        jdk_of "${jdk_java%/bin/java}" && return
    fi
    for jdk_directory in /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/java/* /opt/*jdk* /usr/local/*jdk* \
        "${SDKMAN_DIR:-${HOME-}/.sdkman}"/candidates/java/* "${HOME-}"/.jdks/*; do
        jdk_of "$jdk_directory" && return
    done
    return 1
}

# require_jdk PROGRAM: as find_jdk, but ends the program with advice if there is none.
require_jdk() {
    find_jdk && return
    cat >&2 <<END
$1: needs a JDK $required_jdk or newer (with $jdk_tool), and found none.
  Looked at JAVA_HOME (${JAVA_HOME:-not set}), at java in the PATH, and in /usr/lib/jvm, /usr/lib64/jvm, /usr/java,
  /opt/java, /opt/*jdk*, /usr/local/*jdk*, ${SDKMAN_DIR:-~/.sdkman}/candidates/java and ~/.jdks.
  Found there:${jdk_seen:- nothing}
  Get one:
    Debian 13 or newer    sudo apt install openjdk-25-jdk-headless
    Ubuntu                sudo apt install openjdk-25-jdk-headless
    Fedora                sudo dnf install java-25-openjdk-devel
    any, with SDKMAN      sdk install java 25-tem    (names of newer ones: sdk list java)
  or unpack one anywhere and point JAVA_HOME at it.
END
    exit 2
}
