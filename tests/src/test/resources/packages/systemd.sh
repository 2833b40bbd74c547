#!/bin/sh
# Runs as a unit of a Debian that systemd has booted, once for each boot: how the service lives and dies. What it has done is
# in /results, which outlives the machine.
exec >>/results/log 2>&1
set -eux

# Waits until a command succeeds.
await() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}

property() { systemctl show --value -p "$1" chagres.service; }
archived() { chagres cat /archive "*:/var/log/app/$1" 2>/dev/null | grep -qx "$2"; }
said() { journalctl -u chagres.service --no-pager -o cat | grep -q "$1"; }
restarted() { [ "$(property NRestarts)" -ge "$1" ] && [ "$(property ActiveState)" = active ]; }

ships_more() { [ "$(chagres cat /archive h:/var/log/more/new.log 2>/dev/null)" = more ]; }
config() { printf 'to = "/archive"\nhost = "h"\ndrain = "10s"\n[[source]]\n%s\n' "$1" >/etc/chagres/chagres.toml; }

first_boot() {
    dpkg -i /packages/chagres_*.deb
    touch /results/installed
    [ "$(property ActiveState)" = inactive ] # installing starts nothing
    [ "$(property UnitFileState)" = disabled ]
    install -d -o chagres /archive
    install -d /var/log/app
    echo first >/var/log/app/secret.log
    chmod 600 /var/log/app/secret.log
    echo "SHIP=/var/log/app --to /archive --host h --drain 10s" >/etc/default/chagres
    mkdir -p /etc/systemd/system/chagres.service.d
    cat >/etc/systemd/system/chagres.service.d/test.conf <<END
[Unit]
Before=app.service
[Service]
ReadWritePaths=/archive
WatchdogSec=6s
RestartSec=100ms
END
    cat >/etc/systemd/system/app.service <<END
[Unit]
Description=Writes its last words when it is stopped
[Service]
ExecStart=/bin/sh -c 'echo started >>/var/log/app/app.log; exec sleep infinity'
ExecStop=/bin/sh -c 'echo "last words" >>/var/log/app/app.log'
[Install]
WantedBy=multi-user.target
END
    systemctl daemon-reload
    systemd-analyze security --no-pager chagres.service | tail -n 1 | tee /results/exposure
    systemctl enable chagres.service app.service
    systemctl start chagres.service # returns when it is ready
    [ "$(property ActiveState)" = active ]
    pid=$(property MainPID)
    grep -q "^CapEff:.0000000000000004$" "/proc/$pid/status" # CAP_DAC_READ_SEARCH
    grep -q "^CapBnd:.0000000000000004$" "/proc/$pid/status"
    [ "$(stat -c %U "/proc/$pid")" = chagres ]
    await archived secret.log first
    systemctl start app.service
    await archived app.log started

    systemctl reload chagres.service # there is no configuration
    await said "nothing to read again"
    echo "after a reload" >>/var/log/app/app.log
    await archived app.log "after a reload"
    dpkg -i /packages/chagres_*.deb # over the one that runs
    [ "$(property MainPID)" = "$pid" ]
    touch /results/installed

    kill -9 "$pid"
    await restarted 1
    echo "after kill -9" >>/var/log/app/app.log
    await archived app.log "after kill -9"

    kill -STOP "$(property MainPID)"
    await restarted 2 # by the watchdog
    echo "after SIGSTOP" >>/var/log/app/app.log
    await archived app.log "after SIGSTOP"

    [ -z "$(find /usr/lib/chagres -newer /results/installed)" ] # nothing was built or trained
    systemctl disable chagres.service # so that what is archived was so before the end
    touch /results/rebooting
    systemctl reboot
}

second_boot() {
    [ "$(property ActiveState)" = inactive ]
    archived app.log "last words"
    echo SHIP= >/etc/default/chagres
    config 'paths = ["/var/log/app"]'
    systemctl start chagres.service
    pid=$(property MainPID)
    config 'paths = ["/var/log/app", "/var/log/more"]'
    mkdir /var/log/more
    echo more >/var/log/more/new.log
    systemctl reload chagres.service
    await said "chagres.toml is in force"
    await ships_more
    [ "$(property MainPID)" = "$pid" ]
    sed -i 's/^paths/path/' /etc/chagres/chagres.toml
    if systemctl reload chagres.service; then return 1; fi
    [ "$(property ActiveState)" = active ] && [ "$(property MainPID)" = "$pid" ]
    chagres status | grep -q 'the configuration is refused since .*path'
    sed -i 's/^path /paths /' /etc/chagres/chagres.toml
    systemctl reload chagres.service
    if chagres status | grep -q 'is refused'; then return 1; fi
    chagres restore /archive /back
    cmp "$(find /back -name secret.log)" /var/log/app/secret.log
    systemctl stop chagres.service
    from_apt
    as_shipped
    looked_after
    dpkg --purge chagres-stores chagres
    [ ! -e /var/lib/chagres ] && [ -d /archive ] && [ -d /mnt/archive ]
    echo passed >/results/passed
    systemctl poweroff
}

# The package of stores comes from the repository, over a program that is installed.
from_apt() {
    rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
    echo 'deb [signed-by=/release/chagres.asc] file:/release/apt stable main' >/etc/apt/sources.list.d/chagres.list
    apt-get -qq update
    apt-get -qq install --yes --no-install-recommends chagres-stores
    for store in s3 gs azblob; do # each is found, and refuses what it does not know
        chagres ls "$store://bucket/prefix?nonsense=1" 2>&1 | grep -q " address takes "
    done
}

# The example of the package, without a word more; an archive elsewhere, where the message has the way.
as_shipped() {
    rm -r /etc/systemd/system/chagres.service.d
    systemctl daemon-reload
    install -d -o chagres /mnt/archive
    config 'paths = ["/var/log/app"]'
    sed -i 's|^to = .*|to = "/mnt/archive"|' /etc/chagres/chagres.toml
    systemctl start chagres.service
    await sh -c 'chagres cat /mnt/archive h:/var/log/app/secret.log | grep -qx first'
    systemctl stop chagres.service
    sed -i 's|^to = .*|to = "/srv/elsewhere"|' /etc/chagres/chagres.toml
    if systemctl start chagres.service; then return 1; fi
    await said ReadWritePaths=
    systemctl stop chagres.service
    journalctl -u chagres.service --no-pager -o cat | sed -n '/^ *install -d .*elsewhere/,/^ *systemctl /p' |
        tail -n 4 >/tmp/advice
    sh -eux /tmp/advice # ends with a start
    await sh -c 'chagres cat /srv/elsewhere h:/var/log/app/secret.log | grep -qx first'
    systemctl stop chagres.service
}

ran() { [ "$(systemctl show --value -p ExecMainExitTimestampMonotonic "chagres-$1@main.service")" -gt 0 ]; }

# Timers start what looks after the archive, as its owner; what fails is seen.
looked_after() {
    printf 'COMPACT="/mnt/archive --retain 30d"\nVERIFY=/mnt/archive\n' >/etc/default/chagres-main
    for job in compact verify; do
        soon=/etc/systemd/system/chagres-$job@main.timer.d
        mkdir -p $soon
        printf '[Timer]\nOnActiveSec=1s\nAccuracySec=100ms\nRandomizedDelaySec=0\n' >$soon/soon.conf
    done
    systemctl daemon-reload
    for job in compact verify; do
        systemctl enable --now chagres-$job@main.timer
        await ran $job
        [ "$(systemctl show --value -p Result chagres-$job@main.service)" = success ]
        [ "$(systemctl show --value -p User chagres-$job@main.service)" = chagres ]
    done
    find /mnt/archive -path '*/checkpoints/*' -type f | grep -q . # it was compacted
    [ -z "$(find /mnt/archive ! -user chagres)" ]
    [ -z "$(systemctl --failed --no-legend 'chagres*')" ]
    find /mnt/archive -path '*/checkpoints/*' -type f -exec truncate -s 100 {} +
    if systemctl start chagres-verify@main.service; then return 1; fi
    systemctl --failed --no-legend | grep -q chagres-verify@main.service
    systemctl is-failed 'chagres-*@*'
    journalctl -u chagres-verify@main.service --no-pager -o cat | grep -q checkpoints/
}

# Also where it fails it ends the machine, with what the service said.
finish() {
    [ -e "$1" ] || {
        journalctl -u chagres.service --no-pager | tail -n 40
        systemctl poweroff
    }
}

if [ -e /results/rebooting ]; then
    trap 'finish /results/passed' EXIT
    second_boot
else
    trap 'finish /results/rebooting' EXIT
    first_boot
fi
