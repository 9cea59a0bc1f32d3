#!/bin/sh
# SPDX-License-Identifier: MIT
# The files that run the reaper, and the metrics, are installed, name the installed program, and work: the
# crontab's line in cron's environment, also beside another pass; the units as systemd reads them.
set -eu
tmp=$DBLOCK_TEST_TMP
prefix=$tmp/elsewhere
cd "$tmp"

fail()
{
	echo "reaper_files: $*" >&2
	exit 1
}

cmake --install "$DBLOCK_BUILD_DIR" --prefix "$prefix" >install.log
crontab=$(find "$prefix" -path '*doc*' -name crontab)
[ -n "$crontab" ] || fail "no crontab was installed"
! grep -r '@bindir@' "$prefix/lib/systemd" "$(dirname "$crontab")" || fail "a template was installed as it is"

# cron(8) runs the sixth field and the rest as a user's shell does, with few variables set.
line=$(sed -n 's/^\*[^ ]* \* \* \* \* *nobody *//p' "$crontab")
[ -n "$line" ] || fail "no line for cron in $crontab"
by_cron()
{
	env -i HOME=/nonexistent LOGNAME=nobody SHELL=/bin/sh PATH=/usr/bin:/bin \
		DBLOCK_URL="sqlite:$tmp/locks.db" /bin/sh -c "$line" >out 2>&1 ||
		fail "cron's line exits with $?: $(cat out)"
	[ ! -s out ] || fail "cron would mail: $(cat out)"
}

by_cron
dblock=$prefix/bin/dblock
export DBLOCK_URL="sqlite:$tmp/locks.db"
[ "$("$dblock" show reaper | sed -n 's/^held: *//p')" = no ] || fail "the pass had no guard"
token=$("$dblock" acquire reaper --lease 1h)
by_cron # beside another one
"$dblock" release reaper "$token"

for file in metrics/dblock.rules.yml grafana/dblock.json; do
	[ -n "$(find "$prefix" -path "*doc*/examples/$file")" ] || fail "$file was not installed"
done
! find "$prefix" -name '*.in' | grep . || fail "a template was installed as it is"

command -v systemd-analyze >/dev/null || fail "no systemd-analyze; install the package systemd"
for unit in dblock-reap.service dblock-reap.timer dblock-metrics.service; do
	file=$prefix/lib/systemd/system/$unit
	[ -e "$file" ] || fail "$unit was not installed"
done
# systemd looks for the program and for what a unit names, and checks each word.
systemd-analyze verify --man=no "$prefix"/lib/systemd/system/dblock-* >out 2>&1 ||
	fail "systemd: $(cat out)"
! grep -q dblock out || fail "systemd: $(cat out)"

# A planted error is found.
mkdir wrong
sed 's,^ExecStart=[^ ]*,ExecStart=/nowhere/dblock,' "$prefix/lib/systemd/system/dblock-reap.service" \
	>wrong/dblock-reap.service
! systemd-analyze verify --man=no wrong/dblock-reap.service >out 2>&1 || fail "systemd finds nothing"
