#!/bin/sh
# Makes the Debian in which tests install the package and boot systemd: packaging/debian/test-root.sh (as the superuser).
set -eu
root=$(dirname -- "$0")/../../target/debian
[ ! -e "$root/sbin/init" ] || exit 0
rm -rf "$root"
mkdir -p "${root%/*}"
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,fuse3 bookworm "$root.new"
mv "$root.new" "$root"
