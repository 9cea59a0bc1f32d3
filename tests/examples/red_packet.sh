#!/bin/sh
# SPDX-License-Identifier: MIT
# The output of the red packet demo, and its tables. 8 processes of 2 threads give 1000 gifts away
# (on a server, where each costs more, 300): by each of four ways, each gift exactly once.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "red_packet: $*" >&2
	cat out >&2
	exit 1
}

# red_packet CODE ARGS...
red_packet()
{
	wanted=$1
	shift
	code=0
	"$DBLOCK_BUILD_DIR/examples/red_packet" "$@" >out 2>&1 || code=$?
	[ $code = "$wanted" ] || fail "exit code $code"
}

# row TABLE TITLE: prints its numbers, in the first table or the second.
row()
{
	awk -v table="$1" -v title="$2" '/^  / { n++ } n == table && index($0, title "  ") == 1 {
		sub(title " *", ""); gsub(/ +/, " "); print; exit }' out
}

# told TABLE TITLE NUMBERS
told()
{
	[ "$(row "$1" "$2")" = "$3" ] || fail "$2: $(row "$1" "$2"), not $3"
}

sql()
{
	case $DBLOCK_TEST_BACKEND in
	sqlite) sqlite3 -separator ' ' test.db "$1" ;;
	postgresql) psql -X -q -A -t -F ' ' "$DBLOCK_TEST_URL" -c "$1" ;;
	mysql)
		mariadb --no-defaults --skip-ssl -N -B --socket="$(cat "$DBLOCK_SERVERS/$DBLOCK_TEST_DATABASE/socket")" \
			--user=root "$(echo "$DBLOCK_TEST_URL" | sed 's,.*/\([^/?]*\)?.*,\1,')" \
			-e "$1" | tr '\t' ' '
		;;
	esac
}

# kept BONUS GIFTS: by the books each was given once, whoever reads them.
kept()
{
	books=$(sql "SELECT count(*), count(DISTINCT number), min(number), max(number)
		FROM t_gift WHERE bonus_id = $1")
	[ "$books" = "$2 $2 1 $2" ] || fail "bonus $1: $books"
	[ "$(sql "SELECT left_count, version FROM t_bonus WHERE id = $1")" = "0 $(($2 + 1))" ] ||
		fail "bonus $1: left_count or version"
}

# broken BONUS GIFTS: more were given than existed, some of them twice. Sets given and twice.
broken()
{
	given=$(sql "SELECT count(*) FROM t_gift WHERE bonus_id = $1")
	twice=$((given - $(sql "SELECT count(DISTINCT number) FROM t_gift WHERE bonus_id = $1")))
	if [ "$given" -le "$2" ] || [ $twice = 0 ]; then
		fail "bonus $1: $given given, $twice of them twice"
	fi
}

if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
	gifts=1000
	red_packet 0 --url "$DBLOCK_TEST_URL"
else
	gifts=300
	red_packet 0 --url "$DBLOCK_TEST_URL" --gifts $gifts
fi
broken 1 $gifts
told 1 given "$given $gifts $gifts $gifts $gifts"
told 1 'given twice' "$twice 0 0 0 0"
told 1 oversold "$((given - gifts)) 0 0 0 0"
for bonus in 2 3 4 5; do
	kept $bonus $gifts
done
# A drawer who finds another version draws again. How often the others do depends on the machine.
again=$(row 1 retries | cut -d ' ' -f 4)
[ "$again" -gt 0 ] || fail "nobody ever met another version"

# A holder is killed, or stopped until its lock is another's. Without the fence that goes wrong.
few=$((gifts / 10))
kept 6 $few
broken 7 $few
kept 8 $few
kept 9 $few
told 2 'its holder is' 'killed stopped stopped stopped'
told 2 given "$few $given $few $few"
told 2 'given twice' "0 $twice 0 0"
[ "$(row 2 retries | cut -d ' ' -f 3)" -gt 0 ] || fail "the fence refused nothing"
# Behind the fence nobody else drew until it went on, which was after its session had ended.
case $(row 2 'next draw after' | cut -d ' ' -f 7) in
[012].*) fail "somebody drew while another was behind his fence" ;;
esac
# Whoever looked first has noted that the holder's process is dead.
grep -Eq '^red packet  *(session|dead) ' out || fail "no list of who holds what"
[ -z "$(sql "SELECT name FROM dblock_held")" ] || fail "the lock is still held"

[ "$DBLOCK_TEST_BACKEND" = sqlite ] || exit 0

# Without a URL the demo uses its own file, which is gone afterwards. This runs one way only, and
# stops no holder.
mkdir own
TMPDIR=$PWD/own red_packet 0 --gifts 10 --processes 2 --threads 1 --ways row
told 1 given 10
[ -z "$(row 2 given)" ] || fail "a lock's holder in a way without locks"
rmdir own || fail "something was left behind"

# A gift is written down twice: the demo must not say that all is well.
sqlite3 bad.db 'CREATE TABLE t_gift (bonus_id BIGINT, number BIGINT, drawer BIGINT);
	CREATE TRIGGER twice AFTER INSERT ON t_gift WHEN NEW.number = 3 AND NEW.drawer > 0 BEGIN
		INSERT INTO t_gift VALUES (NEW.bonus_id, NEW.number, -1); END'
red_packet 1 --url "sqlite:$PWD/bad.db" --gifts 10 --ways optimistic
told 1 'given twice' 1
grep -q '^NOT EACH GIFT .*: optimistic' out || fail "it does not say which"

red_packet 1 --ways row,hope
grep -q 'hope: is none of the ways' out || fail "no reason"
