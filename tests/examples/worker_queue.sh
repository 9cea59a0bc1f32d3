#!/bin/sh
# SPDX-License-Identifier: MIT
# Each job is done once, even if a worker crashes on the way.
set -eu
cd "$DBLOCK_TEST_TMP"
queue=$DBLOCK_BUILD_DIR/examples/worker_queue

fail()
{
	echo "worker_queue: $*" >&2
	cat out err >&2
	exit 1
}

"$queue" "$DBLOCK_TEST_URL" add 60 >out 2>err || fail "add"
"$queue" "$DBLOCK_TEST_URL" work --die 5 >>out 2>>err && fail "it was to crash"
pids=
for _ in 1 2 3; do
	"$queue" "$DBLOCK_TEST_URL" work >>out 2>>err &
	pids="$pids $!"
done
"$queue" "$DBLOCK_TEST_URL" work --die 1 >>out 2>>err || : # or it came too late
for pid in $pids; do
	wait "$pid" || fail "exit code $?"
done

# A job that a crashed worker had taken, while the others did their last, is left for the next.
"$queue" "$DBLOCK_TEST_URL" work >>out 2>>err || fail "the next worker"
"$queue" "$DBLOCK_TEST_URL" count >counts 2>>err || fail "count"
[ "$(cat counts)" = "jobs: 60, open: 0, done more than once: 0" ] || fail "$(cat counts)"
[ "$(sort out | uniq | wc -l)" = 60 ] || fail "not each was done"
[ "$(wc -l <out)" = 60 ] || fail "some were done twice"
