# How the program is started: what a checkout's ./chagres, the installed program and the training of its cache share.
# Sourced, never run. It writes nothing and starts no other process but the JVM that it becomes.
#
# It needs 'program', the directory that packaging/package.sh made, and what bin/find-jdk.sh sets.

main=io.chagres.cli/io.chagres.cli

# Errors of the JVM itself (a cache that does not fit) go to standard error: standard output belongs to the command.
# Where the cache was made to lie it is mapped, so that its pages are not written: a quarter of the faults of a start.
# The tests run with --illegal-native-access=deny. Here it would cost 30 ms and 7 MB: with it the JVM takes neither
# linked classes nor the module graph from the AOT cache.
# Without the limit a machine of 128 GB or more has a heap whose references are wide, which no cache fits.
common_flags='--enable-native-access=io.chagres.foreign,com.github.luben.zstd_jni,ALL-UNNAMED
    -Xlog:disable -Xlog:all=error:stderr -XX:+UseSerialGC -XX:-UsePerfData
    -XX:+UseCompactObjectHeaders -XX:ErgoHeapSizeLimit=24g
    -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0'

# A short command takes a quarter of its page faults for a heap of 4 KiB pages. Where the system has no large ones it
# takes small ones. What stays would keep 2 to 4 MB more.
huge_pages=-XX:+UseTransparentHugePages

# Of what the JDK has instructions for: ChaCha20, Poly1305, SHA-256.
eager=-XX:CompileCommand=CompileThresholdScaling
cipher_flags="-XX:CompileCommand=quiet $eager,com.sun.crypto.provider.Poly1305::*,0.01
    $eager,com.sun.crypto.provider.ChaCha20Cipher::*,0.01 $eager,sun.security.provider.DigestBase::*,0.01
    $eager,sun.security.provider.SHA2::*,0.01"

# Sets flags for a command.
choose_flags() {
    flags=$common_flags
    case $1 in
        # Programs that stay, or keep much: a small young generation is collected before it grows, and what nobody uses
        # goes back to the system, of the heap at each full collection and of native memory each minute.
        ship | watch | mount | dedupe | forward)
            # A collection leaves no gap between objects, and hardly any room behind them: it grows again in small steps.
            flags="$flags -Xms8m -Xmn3m -XX:MinHeapFreeRatio=2 -XX:MaxHeapFreeRatio=3 -XX:-ShrinkHeapInSteps
                -XX:MarkSweepDeadRatio=0 -XX:MarkSweepAlwaysCompactCount=1 -XX:TrimNativeHeapInterval=60000
                -XX:AsyncDeflationInterval=60000"
            # A long list is garbage as soon as it is answered, and must not grow old before.
            [ "$1" != mount ] || flags="$flags -Xms16m -Xmn8m -Xmx256m"
            # What is known of a file takes half a KiB: beside the buffers there is room for a million by default. The
            # program collects its garbage itself, long before that. What loops over files is called seldom: it is compiled
            # after 6,000 to 24,000 rounds, not 240,000, which spares a first ship of 100,000 files 7% of its CPU.
            [ "$1" != ship ] || flags="$flags -Xmx$((memory < 2980 ? memory * 8 + 128 : 24000))m
                -XX:Tier3BackEdgeThreshold=6000"
            # So is a record that Kafka has answered. Those of a transaction survive until then, beside each other.
            case $1:$scheme in forward:* | ship:*kafka*)
                flags="$flags -Xms20m -Xmn16m -XX:SurvivorRatio=2 -XX:TargetSurvivorRatio=90" ;;
            esac
            ;;
        # What reads archives that others wrote: none of them can take the memory of this machine. What it keeps is old
        # soon, and garbage fills the young generation before it is collected.
        ls | cat | grep | tail | head | restore | verify | compact | prune | repair | status)
            flags="$flags $huge_pages -Xms24m -Xmn16m -Xmx$((memory + 32))m"
            # They keep what an address names, or a few thousand files at a time.
            case $1 in ls | cat | tail | head) flags="$flags -Xmx$((memory * 3 / 4))m" ;; esac
            # They go through all of a host: what they hold for a moment dies young, and the heap keeps little room.
            case $1 in verify | compact | repair)
                flags="$flags -Xmn8m -XX:SurvivorRatio=2 -XX:TargetSurvivorRatio=90 -XX:MinHeapFreeRatio=10
                    -XX:MaxHeapFreeRatio=30" ;;
            esac
            ;;
        training) ;;
        *) flags="$flags $huge_pages -Xms16m -Xmn8m" ;;
    esac
}

# Sets flags to those that a store needs besides: AWS's SDK asks for credentials by clients of its own.
add_flags_of_stores() {
    case $scheme in *s3*)
        flags="$flags -Dsoftware.amazon.awssdk.http.service.impl=io.chagres.stores.s3.TrustingHttpService" ;;
    esac
}

# Sets modules to the module path, or to nothing if the program's own runtime holds them. Absolute names of jars, since an
# AOT cache compares them as text.
list_modules() {
    modules=
    for jar in "$program"/lib/*.jar; do
        [ ! -f "$jar" ] || modules=$modules:$jar
    done
    modules=${modules#:}
}

# option NAME ARGUMENTS: sets value to what the arguments give an option, the last time if more than once.
option() {
    option=$1
    value=
    while shift && [ $# -gt 0 ]; do
        case $1 in
            "$option") value=${2-} ;;
            "$option"=*) value=${1#*=} ;;
            --) return ;;
        esac
    done
}

# Sets memory to the MiB that --memory gives a command, at most as much as a cache fits; what is no size the program itself
# refuses.
look_at_memory() {
    memory=128
    [ "${1-}" != ship ] || memory=64
    option --memory "$@"
    [ "${1-}" != ship ] || value=${value:-${CHAGRES_MEMORY-$memory_of_file}}
    number=${value%%[!0-9]*}
    [ -n "$number" ] && [ ${#number} -lt 10 ] || return 0
    case ${value#"$number"} in
        [gG]*) memory=$((number * 1024)) ;;
        [mM]*) memory=$number ;;
        [kK]*) memory=$((number / 1024 + 1)) ;;
        '') memory=$((number / 1048576 + 1)) ;;
    esac
    [ "$memory" -le 24000 ] || memory=24000
}

# Sets ciphers if bytes are encrypted or decrypted, and configured to the store of a ship whose command line names none: of
# the environment or, if it does not say, of the configuration file.
look_at_arguments() {
    configured=
    memory_of_file=
    ciphers=${CHAGRES_IDENTITY_FILE-}${CHAGRES_ENCRYPT_TO-}${CHAGRES_ENCRYPT_TO_FILE-}${CHAGRES_SIGN-}
    case " $*" in *' --encrypt-to'* | *' --identity'* | *' --sign'* | *' --trust'*) ciphers=yes ;; esac
    [ "${1-}" = ship ] || return 0
    configured=${CHAGRES_TO-}
    option --to "$@"
    given=$configured$value
    option --config "$@"
    config=${value:-${CHAGRES_CONFIG:-/etc/chagres/chagres.toml}}
    name=${config##*/} name=${name%.toml}.
    case $config in */*) folder=${config%/*} ;; *) folder=. ;; esac
    [ "$name" != chagres. ] || name=
    for file in "$config" "$folder/${name}conf.d"/*.toml; do
        [ ! -f "$file" ] || [ ! -r "$file" ] || while IFS= read -r line; do
            look_at_line
        done <"$file"
    done
}

look_at_line() {
    case $line in
        \#*) ;;
        *encrypt-to*=* | *sign*=*true*) ciphers=yes ;;
        memory*=*) memory_of_file=${line#*\"} memory_of_file=${memory_of_file%%\"*} ;;
        *to*=*://* | *to*=*\$\{*) [ -n "$given" ] || configured=$line$(variables_of "$line") ;;
    esac
}

# Prints the values of the variables that a line of a configuration names: one of them may hold the address of a store.
variables_of() {
    rest=$1
    while case $rest in *\$\{*) true ;; *) false ;; esac do
        rest=${rest#*\$\{}
        variable=${rest%%[!A-Za-z0-9_]*}
        case $variable in '' | [0-9]*) ;; *) eval "printf '%s ' \"\${$variable-}\"" ;; esac
    done
}

# Sets class_path to the jars of each store whose scheme is among the arguments, and scheme to that scheme: vendors'
# libraries are no concern of a command that reads and writes local directories, nor are those of one store of another. A
# scheme that nobody knows gets all, since the message that refuses it says which are known.
list_stores() {
    class_path=
    scheme=
    case "$*" in *://*) ;; *) return 0 ;; esac
    for store in "$program"/stores/*; do
        case "$*" in *"${store##*/}://"*)
            add_store
            scheme=$scheme${store##*/}
            ;;
        esac
    done
    [ -n "$class_path" ] || for store in "$program"/stores/*; do
        add_store
    done
}

add_store() {
    for jar in "$store"/*.jar; do
        [ ! -f "$jar" ] || class_path=${class_path:+$class_path:}$jar
    done
}

# The AOT cache holds classes loaded and linked ahead of time, for one JDK and for jars of these names.
cache_key() {
    key="$program $jdk$jdk_release"
}

# Sets cache to the program's cache for the stores that list_stores found or, where training did not succeed, to nothing;
# false if it was trained for another JDK or another place. A runtime that holds the modules moves with its caches.
look_for_cache() {
    cache=
    made_for=
    if [ -d "$program/lib" ]; then
        [ ! -f "$program/aot.key" ] || read -r made_for <"$program/aot.key" || :
        cache_key
        [ "$made_for" = "$key" ] || return 1
    fi
    cache=$program/aot${scheme:+-$scheme}.cache
    [ -f "$cache" ] || cache=
}

# start NOTE ARGUMENTS: becomes the program. The note is what --version has to say of it besides its commit.
start() {
    build=
    [ ! -f "$program/build" ] || read -r build <"$program/build" || :
    build=$build$1
    shift
    look_at_arguments "$@"
    look_at_memory "$@"
    list_stores "$@" "$configured"
    look_for_cache || :
    choose_flags "${1-}"
    add_flags_of_stores
    list_modules
    # The work is that of the kernel and of zstd: compiling twice costs a core for as long and 20 MB, and gains
    # nothing. Only ciphers need the second compiler, which knows the instructions for them: of TLS to a store of objects,
    # and of what is stored. The first one waits for what is called often: most of a short command is called once.
    [ -n "$class_path$ciphers" ] || flags="$flags -XX:TieredStopAtLevel=1"
    [ -n "$class_path" ] || flags="$flags -XX:CompileThresholdScaling=4"
    # A cipher is called once for each 64 KiB: by the usual count the first 300 MB would go by before its instructions are
    # used. So the methods around them do not wait.
    [ -z "$ciphers" ] || flags="$flags $cipher_flags"

    # File names on the command line are bytes to the JVM only in a UTF-8 locale, and this one is always installed. A
    # child process gets the originals back.
    export CHAGRES_LC_ALL_ORIGINAL="${LC_ALL-}" LC_ALL=C.UTF-8
    # One arena of malloc for all threads: what one frees another can use.
    export CHAGRES_MALLOC_ARENA_MAX_ORIGINAL="${MALLOC_ARENA_MAX-}" MALLOC_ARENA_MAX=1

    exec "$jdk/bin/java" $flags ${cache:+-XX:AOTCache="$cache"} ${CHAGRES_JVM_FLAGS-} \
        -DZstdNativePath="$program/native/libzstd-jni.so" -Dio.chagres.build="$build" \
        ${class_path:+-Dhttp.maxConnections=40 --sun-misc-unsafe-memory-access=allow -cp "$class_path"} \
        ${modules:+-p "$modules"} -m $main.Main "$@"
}
