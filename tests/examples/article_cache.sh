#!/bin/sh
# SPDX-License-Identifier: MIT
# The guard lets one query at a time through to the database; without it whole crowds go.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "article_cache: $*" >&2
	cat out >&2
	exit 1
}

# count WHICH WHAT: prints a number of that line.
count()
{
	sed -n "s/^$1 .*$2 \([0-9]*\).*/\1/p" out
}

"$DBLOCK_BUILD_DIR/examples/article_cache" "$DBLOCK_TEST_URL" >out || fail "exit code $?"
for which in without with; do
	[ "$(count $which asked)" -eq 1920 ] || fail "not all have asked"
	[ "$(count $which 'to the database')" -gt 0 ] || fail "nobody went to the database"
done
[ "$(count without 'at once')" -gt 1 ] || fail "no stampede"
[ "$(count with 'at once')" -eq 1 ] || fail "two at once"
[ "$(count with 'to the database')" -lt "$(count without 'to the database')" ] || fail "no fewer"
