#!/bin/sh
# SPDX-License-Identifier: MIT
# The harness itself: a fresh database for each test, honest exit codes, nothing left behind; a
# server that cannot be started is a failure that shows the server's own words.
set -eu
cd "$DBLOCK_SOURCE_DIR/tests/servers"
tmp=$DBLOCK_TEST_TMP

fail()
{
	echo "harness: $*" >&2
	exit 1
}

# with-database passes on the exit code, and removes the scratch folder even after a failure.
code=0
# shellcheck disable=SC2016 # the inner shell expands it
./with-database sqlite -- sh -c 'echo "$DBLOCK_TEST_URL $DBLOCK_TEST_TMP"; exit 7' \
	>"$tmp/out" || code=$?
[ $code -eq 7 ] || fail "exit code $code instead of 7"
read -r url folder <"$tmp/out"
[ "$url" = "sqlite://$folder/test.db" ] || fail "URL is $url"
[ ! -e "$folder" ] || fail "$folder was left behind"

# Without a server there is no database, and the command does not run.
if DBLOCK_SERVERS=$tmp ./with-database postgresql -- touch "$tmp/ran" 2>"$tmp/out"; then
	fail "with-database succeeded without a server"
fi
grep -q 'no postgresql server runs' "$tmp/out" || fail "wrong message: $(cat "$tmp/out")"
[ ! -e "$tmp/ran" ] || fail "the command ran without a server"

# One server's set-up fails, and another one ends at once.
mkdir "$tmp/bin"
broken()
{
	printf '#!/bin/sh\necho planted failure\nexit %s\n' "$2" >"$tmp/bin/$1"
	chmod 755 "$tmp/bin/$1"
}
must_not_start()
{
	if PATH=$tmp/bin:$PATH DBLOCK_POSTGRESQL_BIN=$tmp/bin DBLOCK_MYSQL=$tmp/private/mysql \
		"./$1" start "$tmp/state" >"$tmp/out" 2>&1; then
		fail "a broken $1 started"
	fi
	grep -q 'planted failure' "$tmp/out" || fail "$1: no log shown: $(cat "$tmp/out")"
	"./$1" stop "$tmp/state"
	[ ! -e "$tmp/state" ] || fail "$1: stop left its state behind"
}
chmod 755 "$tmp"
broken initdb 1
must_not_start postgresql
broken mariadb-install-db 1
must_not_start mariadb
broken mariadb-install-db 0
broken mariadbd 1
must_not_start mariadb
mkdir -p "$tmp/private/mysql/bin"
chmod 700 "$tmp/private" # the server may run as another user
broken ../private/mysql/bin/mysqld 1
must_not_start mysql

# If something else is in the folder, MySQL does not take its place.
if ./get-mysql "$tmp/private" 2>"$tmp/out"; then
	fail "get-mysql replaced a folder"
fi
[ -d "$tmp/private/mysql" ] || fail "get-mysql removed a folder"
