#!/bin/sh
# SPDX-License-Identifier: MIT
# One loop gets both locks, each after it was given back, and in that order.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "event_loop: $*" >&2
	cat out >&2
	exit 1
}

for round in 1 2; do
	"$DBLOCK_BUILD_DIR/examples/event_loop" "$DBLOCK_TEST_URL" >out 2>&1 ||
		fail "round $round: exit code $?"
	[ "$(sed 's/ [0-9][0-9]*$//' out)" = "waiting for left
waiting for right
right is given back
got right, with token
left is given back
got left, with token" ] || fail "round $round: output"
done
