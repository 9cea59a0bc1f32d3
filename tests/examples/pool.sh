#!/bin/sh
# SPDX-License-Identifier: MIT
# There are never more units in use than exist; and at some time all are.
set -eu
cd "$DBLOCK_TEST_TMP"
pool=$DBLOCK_BUILD_DIR/examples/pool

fail()
{
	echo "pool: $*" >&2
	cat out err >&2
	exit 1
}

"$pool" 5 1 "$DBLOCK_TEST_URL" >first || fail "the first one"

# All write lines to one file, in order: one that begins writes after those who ended.
: >out
pids=
for n in 2 3 1 4 2 1 5 2 3; do
	"$pool" 5 $n "$DBLOCK_TEST_URL" >>out 2>>err &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "exit code $?"
done
used=$(awk '$1 == "begin" { used += $2 } $1 == "end" { used -= $2 }
	used > most { most = used } END { print most + 0, used + 0 }' out)
case $used in
[1-5]\ 0) ;;
*) fail "in use at most, and in the end: $used of 5" ;;
esac
[ "$(grep -c '^begin' out)" = 9 ] || fail "not all had their turn"

# Another capacity, while it is in use, is refused, and not waited for.
token=$("$DBLOCK_BUILD_DIR/src/cli/dblock" -u "$DBLOCK_TEST_URL" acquire -p 1/5 pool --lease 1m)
if "$pool" 6 1 "$DBLOCK_TEST_URL" 2>err; then
	fail "two capacities at once"
fi
grep -q 'semaphore of 5' err || fail "no reason"
[ -n "$token" ]
