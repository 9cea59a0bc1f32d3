#!/bin/sh
# SPDX-License-Identifier: MIT
# Readers, writers and those who do both: no reader sees a half, no change is lost.
set -eu
cd "$DBLOCK_TEST_TMP"
readers=$DBLOCK_BUILD_DIR/examples/readers

fail()
{
	echo "readers: $*" >&2
	exit 1
}

echo 0 >left
echo 0 >right
"$readers" write 1 "$DBLOCK_TEST_URL" >out.0 || fail "the first one"

pids=
for what in read read write revise revise read; do
	"$readers" $what 8 "$DBLOCK_TEST_URL" >"out.$what.${pids##* }" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "$(cat out.*)"
done
[ "$(cat left)" = 25 ] || fail "changes were lost: $(cat left) of 25"
[ "$(cat right)" = 25 ] || fail "the files differ"
[ "$(cat out.* | grep -c ': 0 torn$')" = 7 ] || fail "$(cat out.*)"
"$readers" dance 1 2>out.usage && fail "no such thing"
grep -q '^usage: ' out.usage
