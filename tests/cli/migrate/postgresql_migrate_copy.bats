#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate: COPY FROM stdin, with its data, as pg_dump writes it.

setup() {
  load migrate
  with_dir
}

# What a dump has before and behind its data differs from one server to the next.
@test "a dump as it is, but for psql's own commands" {
  needs_pg_dump
  sql "CREATE TABLE ${t}_from (a INTEGER, b TEXT);
INSERT INTO ${t}_from SELECT i, CASE WHEN i % 3 > 0 THEN E'tab\\t;\\nline ''' || i || ' -- \\\\. ä' END
  FROM generate_series(1, 3000) i"
  before=$(sql "SELECT md5(string_agg(a || coalesce(b, '?'), '|' ORDER BY a)) FROM ${t}_from")
  pg_dump -t "${t}_from" --no-owner "$DBLOCK_TEST_URL" | grep -v '^\\[a-z]' >"$dir/0001_dump.up.sql"
  sql "DROP TABLE ${t}_from"
  run -0 --separate-stderr migrate up
  equal "$(sql "SELECT md5(string_agg(a || coalesce(b, '?'), '|' ORDER BY a)) FROM public.${t}_from")" "$before"
}

@test "plan --sql writes a script that psql takes" {
  up 0001_copy "CREATE TABLE ${t}_c (a INTEGER, b TEXT);
COPY ${t}_c FROM stdin;
1	one; two
\\.
INSERT INTO ${t}_c VALUES (2, 'two');"
  migrate plan --sql >"$BATS_TEST_TMPDIR/script"
  client <"$BATS_TEST_TMPDIR/script"
  equal "$(sql "SELECT string_agg(b, '|' ORDER BY a) FROM ${t}_c")" "one; two|two"
  run -0 --separate-stderr migrate up
  equal "$output" ""
  # The data are part of the text.
  sed -i 's/one; two/one, two/' "$dir/0001_copy.up.sql"
  run -4 --separate-stderr migrate up
}

# The server refuses the first line while most of the data are still to be sent.
@test "data that are refused: which line it is, and nothing is kept" {
  {
    echo "CREATE TABLE ${t}_big (a INTEGER, b TEXT);"
    echo "COPY ${t}_big (a, b) FROM STDIN;"
    echo "none	x"
    yes "1	$(printf '%0200d' 0)" | head -n 40000
    echo '\.'
  } >"$dir/0001_big.up.sql"
  run -1 --separate-stderr migrate up
  contains "$stderr" "0001_big.up.sql:2:1: statement 2 of 2: 22P02 "
  contains "$stderr" "said:  CONTEXT: COPY ${t}_big, line 1, column a: \"none\""
  sed -i 's/^none/0/' "$dir/0001_big.up.sql"
  run -0 migrate up
  equal "$(sql "SELECT count(*) FROM ${t}_big")" 40001
}

@test "step by step: with its count" {
  up 0001_steps "-- no-transaction
CREATE TABLE ${t}_s (a INTEGER);
COPY ${t}_s FROM stdin;
1
\\.
COPY ${t}_s FROM stdin;
x
\\."
  run -1 --separate-stderr migrate up
  contains "$stderr" "goes on at statement 3"
  sed -i 's/^x$/2/' "$dir/0001_steps.up.sql"
  run -0 migrate up
  equal "$(sql "SELECT count(*) FROM ${t}_s")" 2
}
