#!/bin/sh
# SPDX-License-Identifier: MIT
# Several processes want one slot; the one that has begun is killed in the middle: another one
# finishes, the job is done and marked exactly once, and the others are told so.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "cron_once: $*" >&2
	tail -n 5 out.* effects >&2
	exit 1
}

# start N: starts one in the background, with its output in the file out.N.
start()
{
	: >"out.$1"
	"$DBLOCK_BUILD_DIR/examples/cron_once" monday "$PWD/effects" "$DBLOCK_TEST_URL" >>"out.$1" 2>&1 &
}

# says N TEXT: waits until it has said so.
says()
{
	tenths=0
	until grep -q "^$2" "out.$1"; do
		[ $((tenths += 1)) -lt $((600 * ${DBLOCK_TEST_SLOWNESS-1})) ] || fail "$1 never said '$2'"
		sleep 0.1
	done
}

# count TEXT: prints in how many outputs it stands.
count()
{
	grep -l "$1" out.* | wc -l
}

trap 'kill -s KILL $pids 2>/dev/null || :' EXIT
pids=''
start 1
first=$!
pids=$first
says 1 'begins'
for n in 2 3 4; do
	start $n
	pids="$pids $!"
	eval "pid_$n=\$!"
done
kill -s KILL "$first"
wait "$first" && fail "the first one was not killed"
# shellcheck disable=SC2154 # pid_2 and so on are set by eval
for pid in $pid_2 $pid_3 $pid_4; do
	wait "$pid" || fail "exit code $?"
done
pids=''
[ "$(wc -l <effects)" -eq 1 ] || fail "not done once"
[ "$(count '^did')" -eq 1 ] || fail "not one of them did it"
[ "$(count 'was done at')" -eq 2 ] || fail "two were not told"

# A process that comes the next day is told as well; another slot is another job.
start 5
wait $! || fail "exit code $?"
says 5 "cron_once: 'cron_once': slot 'monday' was done at"
[ "$(wc -l <effects)" -eq 1 ] || fail "done again"
"$DBLOCK_BUILD_DIR/examples/cron_once" tuesday "$PWD/effects" "$DBLOCK_TEST_URL" >out.6 || fail "exit code $?"
[ "$(tail -n 1 effects | cut -d ' ' -f 1)" = tuesday ] || fail "the next slot was not done"
