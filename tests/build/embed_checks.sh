#!/bin/sh
# SPDX-License-Identifier: MIT
# The build fails when a dialect lacks an operation or has a stray one, and when migrations are
# unpaired, badly named, out of sequence, or differ between dialects; and when a template is not a pair.
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
	rm -rf tree
	mkdir tree
	cp -r "$DBLOCK_SOURCE_DIR/sql" "$DBLOCK_SOURCE_DIR/migrations" tree/
	cp "$DBLOCK_SOURCE_DIR/src/sql/ops.def" tree/
	[ -z "$small" ] || cut_down
}

# Two operations and two migrations are as good, and quicker.
cut_down()
{
	grep '^OP(' tree/ops.def | head -n 2 >tree/two
	mv tree/two tree/ops.def
	mkdir tree/kept
	for dialect in sqlite postgresql mysql; do
		mkdir tree/kept/$dialect
		sed -n 's/^OP(\([a-z_]*\),.*/\1/p' tree/ops.def | while read -r op; do
			mv "tree/sql/$dialect/$op.sql" tree/kept/$dialect
		done
		rm -r tree/sql/$dialect
	done
	mv tree/sql/templates tree/kept
	rm -r tree/sql
	mv tree/kept tree/sql
	find tree/migrations -name '*.sql' ! -name '000[12]_*' -exec rm {} +
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

# caught TEXT [templates]: what was planted in the tree is found; then the tree is made afresh.
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
embed || fail "a small tree does not pass"
fresh

op=$(sed -n 's/^OP(\([a-z_]*\),.*/\1/p' tree/ops.def | head -n 1)
last=$(find tree/migrations/sqlite -name '*.up.sql' | sort | tail -n 1)
last=${last##*/}
last=${last%.up.sql}

rm "tree/sql/mysql/$op.sql"
caught "missing: sql/mysql/$op.sql"
echo 'SELECT 1' >tree/sql/postgresql/nobody_calls_it.sql
caught 'stray: sql/postgresql/nobody_calls_it.sql'
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
