#!/bin/sh
# SPDX-License-Identifier: MIT
# An order and its piece of the stock, both or none: when there is nothing left, when many buy at once, when
# the program is killed before it is decided, and when STOCK cannot be told what was decided. The orders are
# in a file, the stock is on the server.
set -eu
cd "$DBLOCK_TEST_TMP"
orders=sqlite:orders.db

fail()
{
	echo "order: $*" >&2
	cat out >&2
	exit 1
}

# start ARG...: in the background.
start()
{
	"$DBLOCK_BUILD_DIR/examples/order" "$orders" "$DBLOCK_TEST_URL" "$@" >>out 2>&1 &
	pid=$!
}

# ends CODE ARG...
ends()
{
	wanted=$1 code=0
	shift
	: >out
	start "$@"
	wait "$pid" || code=$?
	[ $code = "$wanted" ] || fail "$*: exit code $code, not $wanted"
}

at_home()
{
	sqlite3 -cmd '.timeout 60000' orders.db "$1"
}

# in_stock SQL
in_stock()
{
	case $DBLOCK_TEST_BACKEND in
	postgresql) psql -X -q -A -t "$DBLOCK_TEST_URL" -c "$1" ;;
	mysql)
		database=${DBLOCK_TEST_URL%%\?*}
		mariadb --no-defaults --skip-ssl -N -B --user=root "${database##*/}" \
			--socket="$(cat "$DBLOCK_SERVERS/$DBLOCK_TEST_DATABASE/socket")" -e "$1"
		;;
	esac
}

# has ORDERS PIECES: so many orders there are, and so many pieces are left.
has()
{
	[ "$(at_home 'SELECT count(*) FROM orders')" = "$1" ] || fail "not $1 orders"
	[ "$(in_stock "SELECT pieces FROM stock WHERE article = 'pen'")" = "$2" ] || fail "not $2 pieces"
}

recover()
{
	dblock recover -u "$orders" -u "$DBLOCK_TEST_URL" --grace 1ms >out 2>&1 || :
}

# A file that has no part of its own to prepare can only be the one that decides.
if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
	ends 0 fill pen 1
	ends 1 buy 1 pen
	grep -q 'SQLite cannot prepare' out || fail "it does not say why"
	[ "$(at_home 'SELECT count(*) FROM orders')" = 0 ] || fail "there is an order"
	exit 0
fi

# The third one is refused by the stock when its order is written already.
ends 0 fill pen 2
ends 0 buy 1 pen
ends 0 buy 2 pen
ends 3 buy 3 pen
has 2 0
# And one that its order refuses leaves the stock as it was.
ends 0 fill pen 9
ends 1 buy 2 pen
has 2 9

# Eight at once, each a shop with orders of its own, want six pieces. Without the lock some read the same number.
ends 0 fill pen 6
pids='' codes=''
: >out
for shop in 1 2 3 4 5 6 7 8; do
	orders=sqlite:shop$shop.db
	start buy 11 pen
	pids="$pids $pid"
done
orders=sqlite:orders.db
for pid in $pids; do
	code=0
	wait "$pid" || code=$?
	codes="$codes$code"
done
[ "$(echo "$codes" | tr -d 0)" = 33 ] || fail "the shops ended with $codes"
has 2 0

# linger STEPS: whoever decides from now on is kept in the midst of that, for so long; STOCK is prepared then. -1: for good.
linger()
{
	at_home "DROP TRIGGER IF EXISTS linger; DROP VIEW IF EXISTS steps;
		CREATE VIEW steps AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT $1)
			SELECT max(i) AS i FROM n;
		CREATE TRIGGER linger BEFORE INSERT ON dblock_decision WHEN new.state = 1
			BEGIN SELECT i FROM steps; END"
}

# Waits until STOCK is prepared; false: the process has ended before that was seen.
is_prepared()
{
	while kill -s 0 "$pid" 2>/dev/null; do
		case $DBLOCK_TEST_BACKEND in
		postgresql) prepared=$(in_stock 'SELECT gid FROM pg_prepared_xacts WHERE database = current_database()') ;;
		mysql) prepared=$(in_stock 'XA RECOVER') ;;
		esac
		[ -z "$prepared" ] || return 0
	done
	return 1
}

# again: counts the tries of what is a matter of time.
again()
{
	[ $((tries += 1)) -lt 30 ] || fail "STOCK was never caught when it was prepared"
}

# Killed before it is decided: nobody gets the piece until the recovery has rolled that back. Then all is as before.
trap 'linger 1; recover' EXIT
ends 0 fill pen 50
linger -1
tries=0
start buy 31 pen
until is_prepared; do
	wait "$pid" || :
	again
	start buy 31 pen
done
kill -s KILL "$pid"
wait "$pid" 2>/dev/null || :
linger 1
dblock -u "$DBLOCK_TEST_URL" run article/pen -n -- true 2>/dev/null && fail "it could be had before the recovery"
recover
grep -q 'rolled back  1 prepared' out || fail "it was not rolled back"
has 2 50
ends 0 buy 31 pen
has 3 49

# STOCK loses its connections when it is prepared. It is decided all the same: who buys hears that it is sold, and that
# the recovery has to be run.
cut_off()
{
	case $DBLOCK_TEST_BACKEND in
	postgresql)
		in_stock "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()" >/dev/null
		;;
	mysql)
		for id in $(in_stock 'SELECT id FROM information_schema.processlist
			WHERE db = database() AND id <> connection_id()'); do
			in_stock "KILL $id" 2>/dev/null || :
		done
		;;
	esac
}

# It says so at once.
is_told()
{
	while ! grep -q 'run dblock recover' out; do
		kill -s 0 "$pid" 2>/dev/null || return 1
		sleep 0.1
	done
}

sold=1 steps=4000000 tries=0
while
	again
	linger "$steps"
	: >out
	start buy $((40 + tries)) pen
	is_prepared && cut_off
	! is_told
do
	if wait "$pid"; then
		sold=$((sold + 1)) steps=$((steps * 2))
	else
		steps=$((steps / 2)) # it was kept for longer than a call may take: not sold
	fi
done
wait "$pid" || fail "it is sold, and it said $?"
linger 1
[ "$(at_home 'SELECT count(*) FROM orders')" = $((3 + sold)) ] || fail "not as many orders as it said"
recover
grep -q 'committed  1 prepared' out || fail "it was not committed"
has $((3 + sold)) $((49 - sold))
ends 0 buy 32 pen
