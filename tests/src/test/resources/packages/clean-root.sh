#!/bin/sh
# Runs in a Debian without JDK, HOME and network: installs the package, ships, restores, mounts, purges. Says what failed.
set -eux
unset HOME
dpkg -i /packages/chagres_*.deb
[ "$(command -v java || true)" = "" ]
getent passwd chagres
chagres --version | grep '^chagres '
[ -f /usr/share/man/man1/chagres-ship.1.gz ]

mkdir -p /logs/a
seq 100000 >/logs/a/app.log
echo secret >/logs/secret.log
chmod 600 /logs/secret.log
chagres ship /logs --to /archive --state /state --host h --once
chagres restore /archive /back
find /back -type f | sort
cmp /logs/a/app.log "$(find /back -name app.log)"
cmp /logs/secret.log "$(find /back -name secret.log)"

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

mkdir -p /var/lib/chagres
touch /var/lib/chagres/state /etc/chagres/secret
dpkg --purge chagres
[ ! -e /usr/lib/chagres ] && [ ! -e /var/lib/chagres ] && [ ! -e /etc/chagres ] && [ ! -e /etc/default/chagres ]
! getent passwd chagres
[ -d /archive ]
echo passed
