#!/bin/sh
# SPDX-License-Identifier: MIT
# The red packet demo in small: what it says, and what the tables say.
set -eu
cd "$DBLOCK_TEST_TMP"
gifts=40

fail()
{
	echo "red_packet: $*" >&2
	cat out >&2
	exit 1
}

red_packet()
{
	"$DBLOCK_BUILD_DIR/examples/red_packet" "$@" >out || fail "exit code $?"
}

# row TITLE: its numbers
row()
{
	sed -n "s/^$1  *\([0-9].*\)/\1/p" out | tr -s ' '
}

# told GIFTS TITLE: each gift was given once, says the table that is printed.
told()
{
	case $(row "$2") in
	"$(($1 * 3 / 2)) $1 0 0 "*) ;;
	*) fail "$2: $(row "$2")" ;;
	esac
}

sql()
{
	case $DBLOCK_TEST_BACKEND in
	sqlite) sqlite3 -separator ' ' test.db "$1" ;;
	postgresql) psql -X -q -A -t -F ' ' "$DBLOCK_TEST_URL" -c "$1" ;;
	mysql)
		mariadb --no-defaults -N -B --socket="$(cat "$DBLOCK_SERVERS/mysql/socket")" \
			--user=root "$(echo "$DBLOCK_TEST_URL" | sed 's,.*/\([^/?]*\)?.*,\1,')" \
			-e "$1" | tr '\t' ' '
		;;
	esac
}

# kept BONUS GIFTS: each was given once, say the books, whoever reads them.
kept()
{
	books=$(sql "SELECT count(*), count(DISTINCT number), min(number), max(number)
		FROM t_gift WHERE bonus_id = $1")
	[ "$books" = "$2 $2 1 $2" ] || fail "bonus $1: $books"
	[ "$(sql "SELECT left_count, version FROM t_bonus WHERE id = $1")" = "0 $(($2 + 1))" ] ||
		fail "bonus $1: left_count or version"
}

red_packet --url "$DBLOCK_TEST_URL" --processes 4 --gifts $gifts

# Bonus 1 was given away without a lock: more gifts than there were, some of them twice.
given=$(sql 'SELECT count(*) FROM t_gift WHERE bonus_id = 1')
[ "$given" -gt $gifts ] || fail "without a lock only $given were given"
case $(row 'without a lock') in
"60 $given $((given - gifts)) "*) ;;
*) fail "without a lock: $(row 'without a lock')" ;;
esac
told $gifts 'with dblock'
kept 2 $gifts
told $((gifts / 10)) 'dblock, a holder killed'
kept 3 $((gifts / 10))
grep -q '^red packet  *session ' out || fail "no list of who holds what"
[ -z "$(sql "SELECT name FROM dblock_held")" ] || fail "the lock is still held"

# Without a URL: a file of its own, which is gone afterwards.
if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
	mkdir own
	TMPDIR=$PWD/own red_packet --gifts 10 --processes 2
	told 10 'with dblock'
	rmdir own || fail "something was left behind"
fi
