#!/bin/sh
# Runs in a Debian without JDK, HOME and network: installs the package, ships, restores, mounts, purges. Says what failed.
set -eux
unset HOME
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
echo 'deb [signed-by=/release/chagres.asc] file:/release/apt stable main' >/etc/apt/sources.list.d/chagres.list
apt-get -qq update
apt-get -qq install --yes --no-install-recommends chagres chagres-stores
[ "$(command -v java || true)" = "" ]
getent passwd chagres
chagres --version | grep '^chagres '
[ -f /usr/share/man/man1/chagres-ship.1.gz ] && [ -f /usr/share/man/man5/chagres.toml.5.gz ]
for job in compact verify; do # the protection of the unit that ships, but for its capability
    [ -f /lib/systemd/system/chagres-$job@.timer ]
    grep -qx 'CapabilityBoundingSet=' /lib/systemd/system/chagres-$job@.service
    grep -qx 'ProtectSystem=strict' /lib/systemd/system/chagres-$job@.service
    if grep -q '@[A-Z]*@' /lib/systemd/system/chagres-$job@.*; then exit 1; fi
done

mkdir -p /logs/a
seq 100000 >/logs/a/app.log
echo secret >/logs/secret.log
chmod 600 /logs/secret.log
chagres ship /logs --to /archive --state /state --host h --once
chagres restore /archive /back
find /back -type f | sort
cmp /logs/a/app.log "$(find /back -name app.log)"
cmp /logs/secret.log "$(find /back -name secret.log)"

for store in s3 gs azblob; do # each is found, and refuses what it does not know
    chagres ls "$store://bucket/prefix?nonsense=1" 2>&1 | grep -q " address takes "
done
/usr/lib/chagres/runtime/bin/java --list-modules >/modules # of --config, --http, --notice
grep -q '^org.tomlj' /modules && grep -q '^jdk.httpserver@' /modules && grep -q '^java.net.http@' /modules
[ -z "$(grep -v '^#' /etc/chagres/chagres.toml)" ] # nothing is decided
if chagres ship --once; then exit 1; fi
sed -i 's/^#\([a-z[]\)/\1/' /etc/chagres/chagres.toml
chagres config check # what it shows is good
printf 'to = "/archive"\nstate = "/state"\nhost = "h"\n[[source]]\npaths = ["/logs"]\n' >/etc/chagres/chagres.toml
echo line >/logs/new.log
chagres ship --once
[ "$(chagres cat /archive h:/logs/new.log)" = line ]

mkdir /mnt/archive
mount -t chagres /archive /mnt/archive -o ro
cmp /logs/a/app.log "$(find /mnt/archive -name app.log)"
chagres umount /mnt/archive

mkdir -p /var/lib/chagres/1 /etc/systemd/system/chagres.service.d
echo /archive >/var/lib/chagres/1/store
touch /var/lib/chagres/state /etc/chagres/secret /etc/default/chagres-audit
dpkg --purge chagres-stores chagres >/purged
grep -q 'archives stay: /archive (' /purged
grep -q 'stay: /etc/default/chagres-audit /etc/systemd/system/chagres.service.d' /purged
[ ! -e /usr/lib/chagres ] && [ ! -e /var/lib/chagres ] && [ ! -e /etc/chagres ] && [ ! -e /etc/default/chagres ]
! getent passwd chagres
[ -d /archive ]

# The tar, as docs/OPERATING.md installs it where there is no dpkg.
mkdir /usr/lib/chagres
for part in chagres chagres-stores; do
    tar -C /usr/lib/chagres --strip-components=1 -xzf /packages/$part-[0-9]*-linux-*.tar.gz
done
ln -s ../lib/chagres/bin/chagres /usr/bin/chagres
ln -s ../lib/chagres/bin/mount.chagres /usr/sbin/mount.chagres
useradd --system --user-group --no-create-home --home-dir /var/lib/chagres --shell /sbin/nologin chagres
cp /usr/lib/chagres/*.service /usr/lib/chagres/*.timer /etc/systemd/system
systemd-analyze verify /etc/systemd/system/chagres.service /etc/systemd/system/chagres-verify@main.timer
install -d -o chagres /var/lib/chagres /mnt/own
setpriv --reuid=chagres --regid=chagres --clear-groups chagres ship /logs/new.log --to /mnt/own --host h --once
mount -t chagres /mnt/own /mnt/archive -o ro
find /mnt/archive -name new.log -exec grep -qx line {} +
chagres umount /mnt/archive
chagres ls 's3://bucket/prefix?nonsense=1' 2>&1 | grep -q " address takes "
echo passed
