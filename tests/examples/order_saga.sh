#!/bin/sh
# SPDX-License-Identifier: MIT
# Each order is paid and has its piece, or is cancelled and has neither, once: whatever is refused, whenever it is
# cancelled, if a message comes twice, and though workers are killed. The orders are in a file; payments and stock are in
# two more, or on the server.
set -eu
cd "$DBLOCK_TEST_TMP"
payment=$DBLOCK_TEST_URL stock=$DBLOCK_TEST_URL
[ "$DBLOCK_TEST_BACKEND" != sqlite ] || payment=sqlite:payment.db stock=sqlite:stock.db

fail()
{
	echo "order_saga: $*" >&2
	cat out >&2
	exit 1
}

# start ARG...: in the background.
start()
{
	"$DBLOCK_BUILD_DIR/examples/order_saga" sqlite:orders.db "$payment" "$stock" "$@" >>out 2>&1 &
	pid=$!
}

# saga ARG...
saga()
{
	: >out
	start "$@"
	wait "$pid"
}

# Works until no order is open.
work()
{
	: >out
	start work
	while kill -s 0 "$pid" 2>/dev/null; do
		grep -q 'given up' out && kill "$pid" && fail "a step cannot be done"
		sleep 0.1
	done
	wait "$pid" || fail "exit code $?"
}

# at PLACE SQL
at()
{
	case $1.$DBLOCK_TEST_BACKEND in
	orders.* | *.sqlite) sqlite3 -separator ' ' -cmd '.timeout 60000' "$1.db" "$2" ;;
	*.postgresql) psql -X -q -A -t -F ' ' "$DBLOCK_TEST_URL" -c "$2" ;;
	*.mysql)
		database=${DBLOCK_TEST_URL%%\?*}
		mariadb --no-defaults --skip-ssl -N -B --user=root "${database##*/}" \
			--socket="$(cat "$DBLOCK_SERVERS/$DBLOCK_TEST_DATABASE/socket")" -e "$2" | tr '\t' ' '
		;;
	esac
}

# is STATE NUMBER...: these orders, and no others, are so.
is()
{
	state=$1
	shift
	[ "$(at orders "SELECT number FROM orders WHERE state = '$state' ORDER BY number")" = \
		"$(printf '%s\n' "$@")" ] || fail "not just these are $state: $*: $(at orders 'SELECT * FROM orders')"
}

# adds_up: what is done is paid and taken, nothing else is; and what was there at first is there, or was given for that.
adds_up()
{
	paid=$(at payment "SELECT number FROM payment WHERE state = 'paid' ORDER BY number")
	taken=$(at stock "SELECT number FROM piece WHERE state = 'taken' ORDER BY number")
	[ "$taken" = "$paid" ] || fail "$paid are paid, $taken have a piece"
	# shellcheck disable=SC2086 # words
	is 'done' $paid
	money=$(at payment "SELECT a.customer, a.money + 10 * (SELECT count(*) FROM payment p
		WHERE p.customer = a.customer AND p.state = 'paid') FROM account a WHERE a.money >= 0 ORDER BY 1")
	[ "$money" = "ann 35
bob 100000" ] || fail "they had $money"
	pieces=$(at stock "SELECT s.article, s.pieces + (SELECT count(*) FROM piece p
		WHERE p.article = s.article AND p.state = 'taken') FROM stock s WHERE s.pieces >= 0 ORDER BY 1")
	[ "$pieces" = "cup 10000
pen 6" ] || fail "there were $pieces"
}

# Ann has money for three, and there are six pens. Who is asked first says no; and the customer of 5 has changed his mind
# before anybody was, so that a piece is given back that was never taken.
saga fill ann 35 pen 6
saga fill bob 100000 cup 10000
for number in 1 2 3 4; do
	saga buy "$number" ann pen
done
saga buy 5 bob cup
saga cancel 5 bob cup
for number in 6 7 8 9; do
	saga buy "$number" bob pen
done
at orders 'CREATE TABLE kept AS SELECT * FROM dblock_outbox'
work
[ "$(at orders "SELECT count(*) FROM orders WHERE number IN (1, 2, 3, 4) AND state = 'done'")" = 3 ] || fail "not ann's three"
[ "$(at orders "SELECT count(*) FROM orders WHERE number > 5 AND state = 'done'")" = 3 ] || fail "not the six pens"
[ "$(at stock 'SELECT state FROM piece WHERE number = 5')" = returned ] || fail "5 has not been cancelled first"
adds_up
saga cancel 1 ann pen && fail "too late"

# All that the orders' database has sent comes once more.
before=$(at orders 'SELECT * FROM orders')
at orders 'INSERT INTO dblock_outbox SELECT * FROM kept'
work
[ "$(at orders 'SELECT count(*) FROM dblock_outbox')" = 0 ] || fail "it was not delivered"
[ "$(at orders 'SELECT * FROM orders')" = "$before" ] || fail "a second copy has an effect"
adds_up

# One step of an order at a time: it waits for whoever has the order's lock. (In a file nothing could be written meanwhile.)
if [ "$DBLOCK_TEST_BACKEND" != sqlite ]; then
	dblock -q -u "$payment" run order/10 -- sh -c 'echo >held; exec sleep 600' &
	holder=$!
	until [ -e held ]; do
		sleep 0.1
	done
	saga buy 10 bob cup
	start work
	sleep 1
	is_paid=$(at payment 'SELECT count(*) FROM payment WHERE number = 10')
	kill "$holder"
	wait "$pid" "$holder" || :
	[ "$is_paid" = 0 ] || fail "its lock was somebody else's"
	work
	adds_up
fi

# random N: below that.
random()
{
	echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

# Two workers at a time are killed, somewhere, until that has hit ten. Bob has the cups that he does not cancel.
killed=0 number=10 wanted=''
: >out
while [ $killed -lt 10 ]; do
	[ $number -lt 400 ] || fail "only $killed were killed"
	buys=''
	for i in 1 2 3 4; do
		start buy $((number + i)) bob cup
		buys="$buys $pid"
	done
	start work
	older=$pid
	start work
	workers="$older $pid"
	for pid in $buys; do
		wait "$pid" || fail "it was not bought"
	done
	start cancel $((number + 1)) bob cup
	cancel=$pid
	sleep "0.$(random 3)$(random 10)"
	for pid in $workers; do
		code=0
		kill -s KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || code=$?
		[ $code != 137 ] || killed=$((killed + 1))
	done
	wait "$cancel" || wanted="$wanted $((number + 1))" # it was too late
	wanted="$wanted $((number + 2)) $((number + 3)) $((number + 4))"
	number=$((number + 4))
done
work
[ "$(at orders "SELECT count(*) FROM orders WHERE state NOT IN ('done', 'cancelled')")" = 0 ] || fail "not all are over"
adds_up
for number in $wanted; do
	[ "$(at orders "SELECT state FROM orders WHERE number = $number")" = 'done' ] || fail "$number was refused"
done
