#!/bin/sh
# SPDX-License-Identifier: MIT
# hello: four calls, and a token that grows from run to run.
set -eu

hello()
{
	"$DBLOCK_BUILD_DIR/examples/hello" "$DBLOCK_TEST_URL"
}

fail()
{
	echo "hello: $*" >&2
	exit 1
}

# On a server the tables are made only for who asks for them.
if [ "$DBLOCK_TEST_BACKEND" != sqlite ]; then
	! hello 2>"$DBLOCK_TEST_TMP/err" || fail "it made tables that nobody asked for"
	grep -q 'dblock migrate up' "$DBLOCK_TEST_TMP/err" || fail "it does not say what to do"
	dblock -u "$DBLOCK_TEST_URL" migrate up
fi

token()
{
	hello | sed -n "s/^Hello! The lock 'hello' is mine, with token \([0-9]*\)\.$/\1/p"
}

first=$(token)
second=$(token)
[ -n "$first" ] || fail "the first says no token"
[ -n "$second" ] || fail "the second says no token"
[ "$second" -gt "$first" ] || fail "the token went from $first to $second"
