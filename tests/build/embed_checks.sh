#!/bin/sh
# SPDX-License-Identifier: MIT
# A dialect has the common text, with its clock, where it has none of its own. The build fails when it lacks an
# operation, has a stray one or one twice, or has it in another folder than the others, and when what two have
# alike is not common, or what is common is one's alone; when migrations are unpaired, badly named, out of
# sequence, or differ between dialects; and when a template is not a pair.
set -eu
cd "$DBLOCK_TEST_TMP"
small=

fail()
{
	echo "embed_checks: $*" >&2
	[ ! -e out ] || cat out >&2
	exit 1
}

fresh()
{
	[ ! -d tree ] || find tree -mindepth 1 -maxdepth 1 ! -name sent -exec rm -rf {} +
	mkdir -p tree
	cp -r "$DBLOCK_SOURCE_DIR/sql" "$DBLOCK_SOURCE_DIR/migrations" tree/
	cp "$DBLOCK_SOURCE_DIR/src/sql/ops.def" tree/
	[ -z "$small" ] || cut_down
}

# Cuts the tree down to two operations of each dialect and two that are common: that is as good, and
# quicker.
cut_down()
{
	keep='acquire|release|tx_commit|give_back'
	grep -E "^OP\(($keep)," tree/ops.def >tree/kept
	mv tree/kept tree/ops.def
	find tree/sql -name '*.sql' ! -path 'tree/sql/templates/*' |
		grep -vE "/($keep)\.sql$" | xargs rm
}

embed()
{
	cmake -D OUT="$PWD/tree/embedded.c" -D ROOT="$PWD/tree" -D OPS="$PWD/tree/ops.def" \
		-D DIALECTS=sqlite,postgresql,mysql \
		-P "$DBLOCK_SOURCE_DIR/cmake/embed.cmake" >out 2>&1
}

templates()
{
	cmake -D OUT="$PWD/tree/templates.c" -D ROOT="$PWD/tree" \
		-P "$DBLOCK_SOURCE_DIR/cmake/templates.cmake" >out 2>&1
}

# caught TEXT [templates]: the planted fault is found; then the tree is made afresh.
caught()
{
	if "${2:-embed}"; then
		fail "was not found: $1"
	fi
	grep -qF "$1" out || fail "did not say: $1"
	[ ! -e "tree/${2:-embedded}.c" ] || fail "wrote its output all the same: $1"
	fresh
}

fresh
embed || fail "the tree as it stands does not pass"
[ -s tree/embedded.c ] || fail "wrote nothing"
templates || fail "the templates as they stand do not pass"
[ -s tree/templates.c ] || fail "wrote no templates"
small=1
fresh
mkdir -p tree/sql/mysql/tx
echo 'COMMIT AND NO CHAIN' >tree/sql/mysql/tx/tx_commit.sql
embed || fail "a small tree does not pass"
[ "$(cat tree/sent/mysql/tx/tx_commit.sql)" = 'COMMIT AND NO CHAIN' ] || fail "a dialect's own text is not sent"
cmp tree/sql/common/tx/tx_commit.sql tree/sent/sqlite/tx/tx_commit.sql || fail "the common text is not sent"
grep -q 'released = CAST(UNIX_TIMESTAMP(' tree/sent/mysql/lock/give_back.sql || fail "the clock is missing"
fresh
cat >tree/sql/common/lock/give_back.sql <<'END'
SELECT CASE WHEN l.clock = $clock THEN l.expires - $boot END FROM t l WHERE (l.expires > $boot OR l.clock <> $clock)
END
embed || fail "what is said of clocks does not pass"
cmp tree/sql/common/lock/give_back.sql tree/sent/sqlite/lock/give_back.sql || fail "SQLite has another clock"
now='(extract(epoch FROM clock_timestamp()) * 1000000)::bigint'
[ "$(cat tree/sent/postgresql/lock/give_back.sql)" = "SELECT l.expires - $now FROM t l WHERE (l.expires > $now)" ] ||
	fail "a server has more than one clock"
fresh

last=$(find tree/migrations/sqlite -name '*.up.sql' | sort | tail -n 1)
last=${last##*/}
last=${last%.up.sql}

rm tree/sql/mysql/lock/acquire.sql
caught 'missing: sql/mysql/<folder>/acquire.sql'
rm tree/sql/common/tx/tx_commit.sql
caught 'missing: sql/postgresql/<folder>/tx_commit.sql'
echo 'SELECT 1' >tree/sql/postgresql/lock/nobody_calls_it.sql
caught 'stray: sql/postgresql/lock/nobody_calls_it.sql'
echo 'SELECT 1' >tree/sql/common/tx/nobody_calls_it.sql
caught 'stray: sql/common/tx/nobody_calls_it.sql'
mv tree/sql/mysql/lock/acquire.sql tree/sql/mysql
caught 'stray: sql/mysql/acquire.sql'
cp tree/sql/sqlite/lock/acquire.sql tree/sql/sqlite/lock/acquire.txt
caught 'stray: sql/sqlite/lock/acquire.txt'
cat >tree/sql/common/lock/give_back.sql <<'END'
SELECT 1
 WHERE clock = $clock
END
caught "postgresql/lock/give_back.sql: a server has no \$clock"
mkdir tree/sql/mysql/other
cp tree/sql/mysql/lock/acquire.sql tree/sql/mysql/other
caught 'twice: sql/mysql/lock/acquire.sql and sql/mysql/other/acquire.sql'
cp tree/sql/common/tx/tx_commit.sql tree/sql/sqlite/tx
caught 'two are alike: sql/sqlite/tx/tx_commit.sql and sql/common/tx/tx_commit.sql'
cp tree/sent/mysql/lock/give_back.sql tree/sql/mysql/lock
caught 'two are alike: sql/mysql/lock/give_back.sql and sql/common/lock/give_back.sql'
mkdir tree/sql/mysql/other
mv tree/sql/mysql/lock/acquire.sql tree/sql/mysql/other
caught 'folders differ: lock/acquire.sql and other/acquire.sql'
for dialect in sqlite mysql; do
	echo 'SELECT 1' >tree/sql/$dialect/lock/acquire.sql
done
caught 'two are alike: sql/sqlite/lock/acquire.sql and sql/postgresql/lock/acquire.sql and sql/mysql/lock/acquire.sql'
mkdir -p tree/sql/mysql/tx tree/sql/postgresql/tx
echo 'COMMIT AND NO CHAIN' >tree/sql/mysql/tx/tx_commit.sql
echo 'END' >tree/sql/postgresql/tx/tx_commit.sql
caught 'common to one dialect only: sql/postgresql/tx/tx_commit.sql'
rm "tree/migrations/sqlite/$last.down.sql"
caught "unpaired: migrations/sqlite/$last.up.sql has no .down.sql"
rm "tree/migrations/mysql/$last.up.sql"
caught "unpaired: migrations/mysql/$last.down.sql has no .up.sql"
rm "tree/migrations/postgresql/$last".*
caught 'migrations differ: postgresql has'
touch tree/migrations/sqlite/1_Bad.up.sql
caught 'bad name: migrations/sqlite/1_Bad.up.sql'
for dialect in sqlite postgresql mysql; do
	touch tree/migrations/$dialect/9000_gap.up.sql tree/migrations/$dialect/9000_gap.down.sql
done
caught 'not in sequence: migrations/mysql/9000_gap.up.sql'
rm tree/sql/templates/mysql/fence.down.sql
caught 'missing: sql/templates/mysql/fence.down.sql' templates
touch tree/sql/templates/mysql/fence.sql
caught 'sql/templates/mysql/fence.sql: should be' templates
