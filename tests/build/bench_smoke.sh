#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench runs, for a moment, on SQLite alone: each row of its CSV has the columns of its head,
# was exclusive, and says what it counted; a subject that cannot run says why; and the report is
# made.
set -eu
program=$DBLOCK_BUILD_DIR/bench/bench
out=$DBLOCK_TEST_TMP/out
# A grant that is served in memory is timed only now and then: so this takes some turns.
seconds=$(awk 'BEGIN { print 0.05 * '"$DBLOCK_TEST_SLOWNESS"' }')

fail()
{
	echo "bench_smoke: $*" >&2
	cat "$DBLOCK_TEST_TMP/log" "$out"/*.csv >&2 || :
	exit 1
}

DBLOCK_BENCH_SERVERS=sqlite TMPDIR=$DBLOCK_TEST_TMP "$DBLOCK_SOURCE_DIR/bench/run" "$program" \
	--out "$out" --rounds 1 --seconds "$seconds" --subjects 'dblock-[sp]*q*' threads sticky \
	>"$DBLOCK_TEST_TMP/log" 2>&1 || fail "it failed"

for file in "$out/threads.csv" "$out/sticky.csv"; do
	awk -v file="$file" '
		{ gsub(/"[^"]*"/, "text"); columns = split($0, field, ",") }
		NR == 1 { n = columns }
		columns != n { print file ": line " NR " has " columns " columns, not " n; bad = 1 }
		END { exit bad || NR < 2 }' "$file" || fail "$file has not the form"
done
awk -F , '$3 == "dblock-sqlite" && $5 == "\"ok\"" && $6 == 1 && $7 == 8 && $11 > 0 && $12 > 0 &&
	$13 > 0 && $14 >= $13 && $19 == 0 { found++ } END { exit found != 1 }' "$out/threads.csv" ||
	fail "dblock on SQLite was not measured"
grep -q '^threads,,dblock-postgresql,0,"left out: no server postgresql' "$out/threads.csv" ||
	fail "it does not say that there was no PostgreSQL"
grep -q '^| [*]*dblock-sqlite[*]* | [0-9]' "$out/report.md" || fail "the report does not show it"
grep -q '^- threads, dblock-postgresql: left out' "$out/report.md" || fail "the report leaves it out"
[ -z "$(find "$DBLOCK_TEST_TMP" -mindepth 1 -name 'dblock-*')" ] || fail "it left something behind"

if "$program" --out "$out" nonsense 2>"$DBLOCK_TEST_TMP/log"; then
	fail "an experiment that there is not was run"
fi
grep -q "no experiment 'nonsense'" "$DBLOCK_TEST_TMP/log" || fail "it does not say so"
