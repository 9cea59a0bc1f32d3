#!/bin/sh
# SPDX-License-Identifier: MIT
# Three begin together, and who watches hears when all have ended; one that is alone does not begin.
set -eu
cd "$DBLOCK_TEST_TMP"
fleet=$DBLOCK_BUILD_DIR/examples/fleet_start

fail()
{
	echo "fleet_start: $*" >&2
	cat one two three watch >&2
	exit 1
}

start()
{
	"$fleet" "$DBLOCK_TEST_URL" 3 "$2" >"$1" 2>&1 &
}

: >three
start watch watch
watch=$!
start one 10
one=$!
start two 20
two=$!
sleep 1
for name in one two watch; do
	[ ! -s $name ] || fail "$name has begun, or ended, before the third had come"
done
start three 30
wait $! || fail "the third"
wait $one || fail "the first"
wait $two || fail "the second"
wait $watch || fail "who watches"
grep -q 'sent 10 requests' one || fail "the first did not begin"
grep -q 'sent 30 requests' three || fail "the third did not begin"
grep -q 'all have ended' watch || fail "who watches was not told"
