#!/bin/sh
# SPDX-License-Identifier: MIT
# `take` finds a table too many on each of the three ways, rows that are missing, and a file that dblock takes
# though the client refuses it; and nothing where there is nothing.
set -eu
sets=${0%/*}
real=$(command -v dblock)
mkdir "$DBLOCK_TEST_TMP/bin" "$DBLOCK_TEST_TMP/set"
export real on=never sql=

# Does as dblock; and then this SQL, when it has come that way for the n-th time.
cat >"$DBLOCK_TEST_TMP/bin/dblock" <<'END'
#!/bin/sh
"$real" "$@" || [ "$on" = "refused" ] || exit
echo "$*" | grep -o 'migrate [a-z]*' >>"$DBLOCK_TEST_TMP/ways"
[ "$(grep -c "$on" "$DBLOCK_TEST_TMP/ways")" != "$nth" ] || sqlite3 "${3#sqlite://}" "$sql"
END
chmod +x "$DBLOCK_TEST_TMP/bin/dblock"
PATH=$DBLOCK_TEST_TMP/bin:$PATH

# says PART ON NTH SQL: so `take` does.
says()
{
	rm -f "$DBLOCK_TEST_TMP/ways"
	on=$2 nth=$3 sql=$4
	export on nth sql
	"$sets/take" --whole "$DBLOCK_TEST_TMP/set" >"$DBLOCK_TEST_TMP/said" 2>&1 || :
	grep -q "$1" "$DBLOCK_TEST_TMP/said" || {
		cat "$DBLOCK_TEST_TMP/said"
		echo "FAILED: it does not say $1"
		exit 1
	}
}

cp "$sets"/corpus/sqlite/* "$DBLOCK_TEST_TMP/set"
says 'the same, up to 15, down to 0, up to 15$' never 1 ''
says 'DIFFERS: another schema (' up 1 'CREATE TABLE planted (a)'
says 'DIFFERS: another schema after down to 0 (' down 1 'CREATE TABLE planted (a)'
says 'DIFFERS: another schema again (' up 2 'DROP TABLE crlf'
says 'DIFFERS: another schema (' up 1 'DELETE FROM crlf WHERE id = 1'
echo 'SELECT nothing;' >"$DBLOCK_TEST_TMP/set/9999_wrong.up.sql"
says 'DIFFERS: 9999_wrong.up.sql is refused (' never 1 ''
says 'DIFFERS: the client refuses 9999_wrong.up.sql, dblock does not' refused 1 ''
