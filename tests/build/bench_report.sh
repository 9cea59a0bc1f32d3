#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench's report of planted figures: medians, relations, targets. The program computes the
# percentiles of planted times.
set -eu
out=$DBLOCK_TEST_TMP/out
mkdir "$out"

fail()
{
	echo "bench_report: $*" >&2
	cat "$out/report.md" >&2
	exit 1
}

# row SUBJECT LOAD ROUND PER_S P50 [STATUS]
row()
{
	echo "uncontended,$2,$1,$3,\"${6-ok}\",1,32,0,0,1.000,$4,$4,$5,9,10,11,1.0,0,0,$(($4 * 2)),$(($4 * 3)),0,\
2026-01-01T00:00:00Z,\"a, \"\"quiet\"\" machine\",\"$1 1.0\",\"as it ships\""
}

# says LINE
says()
{
	grep -qxF -- "$1" "$out/report.md" || fail "does not say: $1"
}

{
	echo "experiment,load,subject,round,status,processes,threads,names,held,seconds,grants,per_s,\
p50_us,p99_us,p999_us,max_us,fairness,switches,violations,cpu_us,server_cpu_us,bytes,when,machine,version,settings"
	row redis 1x32 1 50000 600
	row dblock-postgresql-posted 1x32 1 40000 700
	row redis-always 1x32 1 20000 800
	row redis 1x32 2 10000 600
	row dblock-postgresql-posted 1x32 2 30000 900
	row redis-always 1x32 2 30000 800
	row redis 1x32 3 40000 600
	row dblock-postgresql-posted 1x32 3 60000 800
	row redis-always 1x32 3 25000 800
	row dblock-sqlite 1x32 1 1000 5
	row dblock-sqlite 1x32 2 3000 7
	row zookeeper 1x32 1 7 7 'failed, and why'
	row dblock-postgresql 1x1 1 1 390
	row postgresql-bare-statement 1x1 1 1 300
} >"$out/uncontended.csv"

# Nothing was granted while it was idle; the CPU time is 300 ms in three seconds.
{
	head -n 1 "$out/uncontended.csv"
	printf 'heartbeat,10,dblock-sqlite-held,1,"ok",1,32,0,10,3.000,0,0.0,0.000,0.000,0.000,0.000,'
	printf '0,0,0,300000,0,4096,2026-01-01T00:00:00Z,"","",""\n'
} >"$out/heartbeat.csv"

"$DBLOCK_SOURCE_DIR/bench/report/report" "$out" >/dev/null 2>&1 || fail "failed"
says '| **dblock-sqlite-held** | 10.0 | 100 |'

# The medians are 40 000 (not the mean, 43 333), 40 000 and 25 000; of two rounds it is the mean.
says '| **dblock-postgresql-posted** | 40 000 | 800 | 9.00 | 10.0 | 2.00 | 3.00 | 1.00 | 1.60 |'
says '| redis-always | 25 000 | 800 | 9.00 | 10.0 | 2.00 | 3.00 | 0.62 | 1.00 |'
says '| **dblock-sqlite** | 2000 | 6.00 | 9.00 | 10.0 | 2.00 | 3.00 | 0.05 | 0.08 |'
grep -A 3 '^| redis |' "$out/report.md" | tail -n 1 | grep -q sqlite || fail "not the fastest first"
# The relation of the medians is 1.00; those of the rounds are 0.8, 3.0 and 1.5.
says '| PostgreSQL durable, posted, 32 threads: Redis as it ships | ≥ 0.8 | 1.00 | 0.80 to 3.00 | met |'
says '| PostgreSQL durable, posted, 32 threads: Redis always | ≥ 2.0 | 1.60 | 1.00 to 2.40 | missed: 80 % of it |'
says "| PostgreSQL, 1 thread: the bare statement's time | ≤ 1.2 | 1.30 | 1.30 to 1.30 | missed: 1.1 times it |"
says '| PostgreSQL durable, posted, 32 threads: ZooKeeper | ≥ 15 | – | – | not measured |'
says '| uncontended, 1x32 | dblock-postgresql-posted | 40 000 | redis | 40 000 | 1.00 |'
says '- uncontended, 1x32, zookeeper: failed, and why'
grep -q 'on a, "quiet" machine' "$out/report.md" || fail "lost the machine's name"

# A document's section, and nothing else of it, becomes the report.
printf 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n' >"$out/document.md"
"$DBLOCK_SOURCE_DIR/bench/report/report" "$out" "$out/document.md" >/dev/null 2>&1
{
	printf 'before\n<!-- bench -->\n'
	cat "$out/report.md"
	for plot in "$out"/document/*.svg; do
		[ ! -f "$plot" ] || printf '\n![%s](document/%s)\n' "$(basename "$plot" .svg)" "${plot##*/}"
	done
	printf '<!-- /bench -->\nafter\n'
} | cmp -s - "$out/document.md" || fail "the document's section is not the report"
! command -v gnuplot >/dev/null || [ -s "$out/document/uncontended-1x32.svg" ] || fail "no plot"

# This document's own folder is the run's.
printf '<!-- bench -->\n<!-- /bench -->\n' >"$out.md"
[ -s "$out/uncontended-1x32.svg" ] || echo '<svg/>' >"$out/uncontended-1x32.svg" # as gnuplot would
"$DBLOCK_SOURCE_DIR/bench/report/report" "$out" "$out.md" >/dev/null 2>&1 || fail "failed where DIR is DOCUMENT's folder"
grep -qxF '| **dblock-sqlite-held** | 10.0 | 100 |' "$out.md" || fail "wrote no document there"
grep -qxF '![uncontended-1x32](out/uncontended-1x32.svg)' "$out.md" || fail "the document shows no plot"

# These are the percentiles of 1 to 10 000 us, of one time, and of none; each is exact to 1.6 per
# cent.
percentiles()
{
	"$DBLOCK_BUILD_DIR/bench/bench" --percentiles
}
near='function near(v, wanted) { return v >= wanted * 0.984 && v <= wanted * 1.016 }'
seq 1000 1000 10000000 | percentiles | awk "$near"'
	{ exit !(near($1, 5000) && near($2, 9900) && near($3, 9990) && $4 == 10000) }' ||
	fail "the percentiles of 1 to 10 000 us are wrong"
[ "$(echo 63 | percentiles)" = '0.063 0.063 0.063 0.063' ] || fail "those of 63 ns are wrong"
[ "$(: | percentiles)" = '0.000 0.000 0.000 0.000' ] || fail "those of nothing are wrong"
