#!/bin/sh
# SPDX-License-Identifier: MIT
# Ten copies of an application start at once, while another process is migrating: they say for whom they wait.
# When that one is killed they go on: each of the migrations is applied once, and all are ready in the end.
set -eu
cd "$DBLOCK_TEST_TMP"
app=$DBLOCK_BUILD_DIR/examples/app_migrate
other=''
trap '[ -z "$other" ] || kill "$other"' EXIT

fail()
{
	echo "app_migrate: $*" >&2
	cat other out.* err.* >&2
	exit 1
}

# said TEXT FILE...: waits until that is in one of them.
said()
{
	text=$1
	shift
	for _ in $(seq 600); do
		! grep -qF "$text" "$@" || return 0
		sleep 0.1
	done
	fail "nobody said in a minute: $text"
}

# A process that is migrating, and takes its time; on SQLite, one that writes to the same file.
occupy()
{
	case $DBLOCK_TEST_BACKEND in
	sqlite)
		dblock -u "$DBLOCK_TEST_URL" schema up >/dev/null
		mkfifo commands
		sqlite3 "${DBLOCK_TEST_URL#sqlite://}" <commands >other 2>&1 &
		exec 3>commands
		echo "BEGIN IMMEDIATE; SELECT 'inside';" >&3
		;;
	*)
		mkdir slow
		case $DBLOCK_TEST_BACKEND in
		postgresql) echo "DO \$\$ BEGIN RAISE NOTICE 'inside'; END \$\$; SELECT pg_sleep(600);" ;;
		*) echo "SELECT CAST('inside' AS SIGNED); SELECT SLEEP(600);" ;;
		esac >slow/0001_slow.up.sql
		dblock -u "$DBLOCK_TEST_URL" migrate up --dir slow >other 2>&1 &
		;;
	esac
	other=$!
	said inside other
}

occupy
pids=''
for i in 0 1 2 3 4 5 6 7 8 9; do
	: >"err.$i" # before err.* is read
	"$app" "$DBLOCK_TEST_URL" >"out.$i" 2>>"err.$i" &
	pids="$pids $!"
done
case $DBLOCK_TEST_BACKEND in
sqlite) said 'waiting for another copy, who is migrating (' err.* ;;
postgresql) said 'waiting for process ' err.* ;;
mysql) said 'waiting for connection ' err.* ;;
esac
kill -9 "$other"
other=''
for pid in $pids; do
	wait "$pid" || fail "exit code $?"
done
for i in 0 1 2 3 4 5 6 7 8 9; do
	[ "$(tail -n 1 "out.$i")" = ready ] || fail "copy $i is not ready"
done
[ "$(cat out.* | grep applied | sort | tr '\n' ,)" = "applied 0001_customer,applied 0002_first_customer,\
applied 0003_email,applied R_customer_mail," ] || fail "not each one once"
[ "$(cat err.* | grep -c '^R_customer_mail: statement [12] of 2$')" = 2 ] || fail "no progress is told"

# A server says that there was no view to drop, and SQLite nothing.
case $DBLOCK_TEST_BACKEND-$(cat err.* | grep -c '^warning: .*R_customer_mail') in
sqlite-0 | postgresql-1 | mysql-1) ;;
*) fail "the server's word is not told" ;;
esac

# The files are the same as what was embedded.
dblock -u "$DBLOCK_TEST_URL" migrate status --check --dir "$DBLOCK_SOURCE_DIR/examples/app_migrate" ||
	fail "the files and the database differ"

# A copy that starts later has nothing to do.
[ "$("$app" "$DBLOCK_TEST_URL" 2>&1)" = ready ] || fail "not ready at once"

# So has one that may only read the history; it says so when one is missing.
if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
	role=reader_$$
	psql -qX "$DBLOCK_TEST_URL" -c "CREATE ROLE $role LOGIN" -c "GRANT SELECT ON dblock_migration TO $role"
	reader=$(echo "$DBLOCK_TEST_URL" | sed "s,//[^/]*/,//$role@/,")
	code=0
	"$app" "$reader" >out.reader 2>&1 || code=1
	psql -qX "$DBLOCK_TEST_URL" -c "DELETE FROM dblock_migration WHERE name = 'email'"
	"$app" "$reader" >err.reader 2>&1 && code=2
	psql -qX "$DBLOCK_TEST_URL" -c "DROP OWNED BY $role" -c "DROP ROLE $role"
	[ "$code-$(cat out.reader)" = 0-ready ] || fail "reads only, $code"
	grep -q 'permission denied' err.reader || fail "does not say that it may only read"
fi
