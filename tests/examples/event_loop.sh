#!/bin/sh
# SPDX-License-Identifier: MIT
# One loop gets both locks, each after it was given back, and releases each.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "event_loop: $*" >&2
	cat out >&2
	exit 1
}

# The loop may notice a wait's end only after the next tick, but not before its own lock is given
# back.
in_order()
{
	sed 's/ [0-9][0-9]*$//' out | awk '
		{ at[$0] = NR }
		END {
			exit !(NR == 8 && at["waiting for left"] == 1 && at["waiting for right"] == 2 &&
				at["right is given back"] == 3 && at["left is given back"] > 3 &&
				at["got right, with token"] > 3 &&
				at["got left, with token"] > at["left is given back"] &&
				at["right is released"] > at["got right, with token"] &&
				at["left is released"] > at["got left, with token"])
		}'
}

for round in 1 2; do
	"$DBLOCK_BUILD_DIR/examples/event_loop" "$DBLOCK_TEST_URL" >out 2>&1 ||
		fail "round $round: exit code $?"
	in_order || fail "round $round: output"
done
