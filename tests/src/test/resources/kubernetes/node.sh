# A node: what kubelet and a container runtime do to the logs of pods, while the DaemonSet's command ships them. Sourced in
# namespaces of its own by KubernetesTest, which puts ship's arguments into the file "arguments".
set -eu
hostname node1
for directory in /var/log /var/lib /mnt; do mount -t tmpfs none $directory; done
pods=/var/log/pods
mkdir -p $pods /var/log/containers /mnt/logs
export STORE=/mnt/archive

await() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || return 1
        sleep 0.1
    done
}

# pod NAME UID CONTAINER: as kubelet makes them.
pod() {
    directory=$pods/shop_$1_$2/$3
    mkdir -p "$directory"
    : >"$directory/0.log"
    chmod 640 "$directory/0.log"
    ln -s "$directory/0.log" "/var/log/containers/$1_shop_$3-$2.log"
}

# say POD FROM TO WORD: lines as a container runtime writes them.
say() {
    seq -f "2026-11-22T10:00:00.000000000Z stdout F $4 %06.0f of $1" "$2" "$3" >>"$directory/0.log"
}

# rotate: kubelet renames, the runtime opens anew, kubelet compresses what it renamed before.
rotate() {
    for old in "$directory"/0.log.*[0-9]; do
        [ -f "$old" ] || continue
        gzip -c "$old" >"$old.tmp"
        mv "$old.tmp" "$old.gz"
        rm "$old"
    done
    rotated=$((${rotated:-0} + 1))
    mv "$directory/0.log" "$directory/0.log.20261122-10000$rotated"
    : >"$directory/0.log"
}

shipped() { chagres cat $STORE "node1:$directory/0.log" 2>/dev/null | grep -q "$1"; }

mapfile -t arguments <"$session/arguments"
chagres "${arguments[@]}" &
ship=$!

pod api-1 aaaa-1111 api
say api-1 1 5000 INFO
pod web-7d4b9 bbbb-2222 web
say web-7d4b9 1 20000 INFO
await shipped "of web-7d4b9" # it runs, and has the file
rotate
say web-7d4b9 20001 30000 INFO
rotate
say web-7d4b9 30001 39999 INFO
say web-7d4b9 40000 40000 ERROR
await shipped "040000 of web-7d4b9"
rm -r "$pods/shop_web-7d4b9_bbbb-2222" /var/log/containers/web-7d4b9_*
directory=$pods/shop_api-1_aaaa-1111/api
say api-1 5001 5002 INFO
await shipped "005002 of api-1"
kill -TERM $ship
wait $ship

# Everything once, and each line under the names of its pod and container.
chagres restore $STORE /mnt/back
chagres restore $STORE /mnt/back --gone
grep -rh "of web-7d4b9" /mnt/back/.gone/node1/var/log/pods/shop_web-7d4b9_bbbb-2222/web | sed 's/.* \([0-9]*\) of .*/\1/' | sort >/mnt/web
seq -f %06.0f 40000 | cmp - /mnt/web
cmp $pods/shop_api-1_aaaa-1111/api/0.log /mnt/back/node1$pods/shop_api-1_aaaa-1111/api/0.log
[ "$(find /mnt/back -name '*.gz*' -o -name '*.tmp*')" = "" ]
rm -r /mnt/back
