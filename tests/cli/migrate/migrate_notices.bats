#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate: what the database says of a statement beside its outcome.

setup() {
  load migrate
  with_dir
}

only_on() {
  [ "$DBLOCK_TEST_BACKEND" = "$1" ] || skip "of $1 alone"
}

@test "PostgreSQL: NOTICE, DETAIL and HINT, as psql prints them" {
  only_on postgresql
  up 0001_say "SELECT 1;
DROP TABLE IF EXISTS nowhere;
DO \$\$ BEGIN RAISE NOTICE 'by the way' USING DETAIL = 'some', HINT = 'look'; END \$\$;"
  down 0001_say "DROP TABLE IF EXISTS nowhere;"
  run -0 --separate-stderr migrate up
  contains "$stderr" "warning: notice: 0001_say: $dir/0001_say.up.sql:2: NOTICE: table \"nowhere\" does not exist, skipping"
  contains "$stderr" "0001_say.up.sql:3: NOTICE: by the way; DETAIL: some; HINT: look"
  run -0 --separate-stderr migrate down
  contains "$stderr" "0001_say.down.sql:1: NOTICE: table"
  run -0 --separate-stderr dblock -q --prefix "$prefix" migrate up --dir "$dir"
  equal "$stderr" ""
}

@test "MySQL: what SHOW WARNINGS has" {
  only_on mysql
  up 0001_cut "CREATE TABLE ${t}_cut (a VARCHAR(2));
INSERT IGNORE INTO ${t}_cut VALUES ('abc');
INSERT INTO ${t}_cut VALUES ('d');"
  run -0 --separate-stderr migrate up
  contains "$stderr" "warning: notice: 0001_cut: $dir/0001_cut.up.sql:2: Warning 1265: Data truncated"
  equal "$(grep -c notice <<<"$stderr")" 1
  equal "$(sql "SELECT a FROM ${t}_cut ORDER BY a")" $'ab\nd'
}

@test "SQLite: a string in double quotes, as the program sqlite3 takes it" {
  only_on sqlite
  up 0001_quotes "CREATE TABLE ${t}_q (a TEXT, \"b\" TEXT);
INSERT INTO ${t}_q (a) VALUES (\"one\");
UPDATE ${t}_q SET \"b\" = \"\" WHERE a = \"one\";
INSERT INTO ${t}_q (a) SELECT 'two' WHERE 'b' = 'b';"
  run -0 --separate-stderr migrate up
  contains "$stderr" "warning: notice: 0001_quotes: $dir/0001_quotes.up.sql:2: no such column"
  contains "$stderr" "0001_quotes.up.sql:3: no such column"
  contains "$stderr" "taken for a string, as the program sqlite3 does; write it in single quotes"
  equal "$(grep -c notice <<<"$stderr")" 2
  equal "$(sql "SELECT a || '/' || b FROM ${t}_q WHERE b IS NOT NULL")" "one/"
}

@test "SQLite: a CHECK and a trigger that have one" {
  only_on sqlite
  sql "CREATE TABLE ${t}_c (a TEXT CHECK (a <> \"none\"), n INTEGER)"
  sql "CREATE TRIGGER ${t}_t AFTER INSERT ON ${t}_c BEGIN UPDATE ${t}_c SET n = 1 WHERE a = \"x\"; END"
  up 0001_insert "INSERT INTO ${t}_c (a) VALUES ('x');"
  up 0002_alter "ALTER TABLE ${t}_c ADD COLUMN m INTEGER;"
  up 0003_refused "INSERT INTO ${t}_c (a) VALUES ('none');"
  run -1 --separate-stderr migrate up --allow-tables
  contains "$stderr" "0001_insert.up.sql:1: no such column"
  contains "$stderr" "CHECK constraint failed"
  equal "$(sql "SELECT a, n FROM ${t}_c")" "x|1"
  equal "$(states)" "1 applied, 2 applied, 3 pending"
}

@test "SQLite: a column that is not there is none, with or without double quotes elsewhere" {
  only_on sqlite
  up 0001_wrong "CREATE TABLE ${t}_w (a TEXT);
INSERT INTO ${t}_w (a) SELECT nowhere FROM ${t}_w WHERE a = \"one\";"
  run -1 --separate-stderr migrate up
  contains "$stderr" "no such column: nowhere"
  run ! contains "$stderr" "taken for a string"
}

@test "--json: in problems" {
  case $DBLOCK_TEST_BACKEND in
  postgresql) up 0001_say "DROP TABLE IF EXISTS nowhere;" ;;
  mysql) up 0001_say "CREATE TABLE ${t}_n (a INTEGER); DROP TABLE IF EXISTS ${t}_nowhere;" ;;
  sqlite) up 0001_say "CREATE TABLE ${t}_n (a TEXT); DELETE FROM ${t}_n WHERE a = \"x\";" ;;
  esac
  migrate_json up
  equal "$(field problems '#') $(field problems 0 code) $(field problems 0 version)" "1 notice 1"
  equal "$(field problems 0 harmless)" true
}
