#!/bin/sh
# SPDX-License-Identifier: MIT
# A holder whose lease has ended goes on writing: the file refuses it, and keeps what came after.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "guarded_file: $*" >&2
	cat out file >&2
	exit 1
}

run()
{
	"$DBLOCK_BUILD_DIR/examples/guarded_file" "$DBLOCK_TEST_URL" file >out || fail "exit code $?"
}

# token N: prints that of the N-th line of the output.
token()
{
	sed -n "$1s/.* with token \([0-9]*\).*/\1/p" out
}

# told: the output has two writes and a refusal, each with its token.
told()
{
	[ "$(sed 's/ [0-9][0-9]*//g' out)" = "written: 'one: begins' with token
written: 'two: all of it' with token
refused: 'one: ends' with token, was here" ] || fail "output"
	[ "$(token 2)" -gt "$(token 1)" ] || fail "the token did not grow"
	[ "$(token 3)" = "$(token 1)" ] || fail "another token was refused"
	[ "$(head -n 1 file)" = "$(printf %019d "$(token 2)")" ] || fail "the header"
}

run
told
run
told
[ "$(tail -n +2 file)" = "one: begins
two: all of it
one: begins
two: all of it" ] || fail "contents"
