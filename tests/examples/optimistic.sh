#!/bin/sh
# SPDX-License-Identifier: MIT
# A user who saves a page that somebody else has saved is told so; visits are all counted.
set -eu
cd "$DBLOCK_TEST_TMP"

page()
{
	"$DBLOCK_BUILD_DIR/examples/optimistic" "$1" "$2" "$DBLOCK_TEST_URL"
}

fail()
{
	echo "optimistic: $*" >&2
	cat err >&2 || :
	exit 1
}

page new home >/dev/null 2>err || fail "new"
[ "$(page read home)" = "$(printf 'empty\nversion 0')" ] || fail "what is read"
# Two users have the page open; the first one saves it.
[ "$(page save 'home:0:hers: 1' 2>err)" = 'version 1' ] || fail "the first one to save"
rc=0
page save 'home:0:his' >out 2>err || rc=$?
[ "$rc" = 3 ] || fail "exit code $rc"
[ "$(cat out)" = 'version 1' ] || fail "the version that there is"
grep -q 'has changed since it was read' err || fail "no reason"
[ "$(page read home)" = "$(printf 'hers: 1\nversion 1')" ] || fail "overwritten"
[ "$(page save 'home:1:both' 2>err)" = 'version 2' ] || fail "the second one, in the end"

pids=
for _ in 1 2 3 4 5; do
	page visit home 2>>err &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "a visit"
done
[ "$(page read home)" = "$(printf 'both\nversion 7')" ] || fail "visits lost"
if page read nowhere 2>err; then
	fail "a page that is not there"
fi
grep -q 'no such row' err || fail "no reason"
