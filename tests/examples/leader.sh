#!/bin/sh
# SPDX-License-Identifier: MIT
# Two processes stand for leader: one leads at a time; one that slept too long steps down, and
# stands again. A third one watches.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "leader: $*" >&2
	tail -n 5 one two three >&2
	exit 1
}

# start NAME [watch]: starts one in the background, with its output in the file NAME.
start()
{
	: >"$1"
	"$DBLOCK_BUILD_DIR/examples/leader" "$DBLOCK_TEST_URL" ${2:+"$2"} >>"$1" 2>&1 &
}

# says NAME TIMES TEXT: waits until it has said so, so many times.
says()
{
	tenths=0
	while [ "$(grep -c "^$3" "$1")" -lt "$2" ]; do
		[ $((tenths += 1)) -lt $((600 * ${DBLOCK_TEST_SLOWNESS-1})) ] || fail "$1 never said '$3' ($2)"
		sleep 0.1
	done
}

# token NAME: prints that of its last step.
token()
{
	sed -n 's/^working, with token //p' "$1" | tail -n 1
}

steps()
{
	grep -c '^working' "$1" || :
}

end()
{
	kill -s TERM "$1"
	wait "$1" || fail "exit code $?"
}

trap 'kill -s KILL $one $two $three 2>/dev/null || :' EXIT
one='' two='' three=''
: >two
start one
one=$!
says one 2 working
start three watch
three=$!
says three 2 "pid $one leads"
first=$(token one)
start two
two=$!
says one 5 working
[ "$(steps two)" -eq 0 ] || fail "two lead"

# stop PID: stops it; on SQLite not in the middle of a write, which would keep everybody from the
# file.
stop()
{
	while
		kill -s STOP "$1"
		[ "$DBLOCK_TEST_BACKEND" = sqlite ] &&
			! sqlite3 -cmd '.timeout 1000' test.db 'BEGIN IMMEDIATE; ROLLBACK'
	do
		kill -s CONT "$1"
		sleep 0.1
	done
}

# A leader that is stopped is replaced.
stop $one
before=$(steps one)
says two 2 working
[ "$(token two)" -gt "$first" ] || fail "the token did not grow"
says three 1 "pid $two leads, with token $(token two): "

# When it goes on it steps down, and does at most the step that it had begun.
kill -s CONT $one
says one 1 'stepped down'
[ "$(steps one)" -le $((before + 1)) ] || fail "worked without the lock"

# The first one stands again, and gets the lock that the other gives back.
end $two
two=''
says two 1 resigned
says one 2 elected
says one $((before + 2)) working
[ "$(token one)" -gt "$(token two)" ] || fail "the token did not grow"
end $one
one=''
[ "$(tail -n 1 one)" = resigned ] || fail "one did not resign"
says three 1 'nobody leads'
end $three
three=''
[ "$(grep -c "with token $first: [0-9]* steps" three)" -ge 2 ] || fail "no change of value was seen"
