#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench of large files runs, with a small one on SQLite: each shape is loaded by both, whole, and
# measured; what could not be loaded is said, and fails.
set -eu
log=$DBLOCK_TEST_TMP/log

fail()
{
	echo "bench_files: $*" >&2
	cat "$log" >&2
	exit 1
}

files()
{
	DBLOCK_BENCH_SERVERS=sqlite TMPDIR=$DBLOCK_TEST_TMP "$DBLOCK_SOURCE_DIR/bench/files" "$@" >"$log" 2>&1
}

files "$DBLOCK_BUILD_DIR" 1 || fail "it failed"
for shape in rows hundreds; do
	awk -v shape=$shape '
		$1 != "sqlite" || $2 != shape || !($4 > 0 && $5 > 0) { next }
		$3 == "sqlite3" && NF == 7 && $7 > 1 { found++ }
		$3 == "dblock" && NF == 8 && $6 > 0 && $8 > 1 { found++ }
		END { exit found != 2 }' "$log" || fail "$shape was not measured"
done
[ -z "$(find "$DBLOCK_TEST_TMP" -mindepth 1 -name 'dblock-*')" ] || fail "it left something behind"

# A program that says that all is well, and loads nothing.
mkdir -p "$DBLOCK_TEST_TMP/build/src/cli" "$DBLOCK_TEST_TMP/build/bench"
ln -s "$DBLOCK_BUILD_DIR/bench/timed" "$DBLOCK_TEST_TMP/build/bench"
cat >"$DBLOCK_TEST_TMP/build/src/cli/dblock" <<-END
	#!/bin/sh
	case "\$*" in *" up "*) sqlite3 "\${2#sqlite://}" 'CREATE TABLE big_rows (id INTEGER)' ;; esac
END
chmod 755 "$DBLOCK_TEST_TMP/build/src/cli/dblock"
if files "$DBLOCK_TEST_TMP/build" 1; then
	fail "rows that are missing did not fail it"
fi
grep -q '^sqlite, rows, by dblock: 0 rows instead of [1-9]' "$log" || fail "missing rows are not told"
grep -q '^sqlite  *rows  *dblock  *failed' "$log" || fail "what failed is measured"
