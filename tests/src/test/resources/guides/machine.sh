# A machine of its own, in namespaces of its own: what the guides take for granted, and 'example', which runs what one shows.
# Nothing of the real machine is seen below these directories, and nothing written stays.
set -emuo pipefail
PATH=$PWD:$PATH
hostname web1
srv=$PWD/srv
for directory in /mnt /var; do mount -t tmpfs none $directory; done
mount --bind "$srv" /srv
cp /etc/group group
echo logs:x:4242: >>group
mount --bind group /etc/group
mkdir -p settings work /var/log/app /var/lib /var/cache /mnt/machines /mnt/logs /mnt/yesterday /srv/images
echo setting >settings/app.conf
mount --bind settings /etc/skel # some directory of /etc
cd work
seq -f 'ERROR %g' 200 | tee /var/log/app/a.log >/var/log/app.log
head -c 1000000 /dev/urandom | tee /srv/images/one >/srv/images/other
for host in web1 web2 db1; do
    chagres ship /var/log/app /etc/skel --to /mnt/several --host $host --state "state-$host" --once
done
yesterday=$(date +%FT%T)
chagres ship /var/log /etc/skel --to /mnt/several --host web1 --state state-web1 --once

# Each block begins with the archive of several machines; those that ship have none, and what was signed stays.
block() { [ -e trust.txt ] || { rm -rf /mnt/archive /var/lib/chagres && cp -r /mnt/several /mnt/archive; }; }

example() {
    command=${1#./}
    command=${command//2026-11-20T18:00/$yesterday}
    case $command in *age1...*) command=${command//age1.../$(age-keygen -y key.txt)} ;; esac
    case $command in
        *'tail -f'*)
            eval "$command" >followed &
            until [ -s followed ]; do sleep 0.1; done
            kill -TERM %1
            wait %1 || [ $? = 143 ]
            ;;
        'chagres ship '*)
            rm -rf /mnt/archive
            eval "exec $command" &
            until chagres drain; do sleep 0.1; done
            kill -TERM %1
            wait %1
            ;;
        *) eval "$command" ;;
    esac
}
