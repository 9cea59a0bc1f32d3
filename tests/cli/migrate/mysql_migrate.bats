#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Things that only MySQL and MariaDB do to migrations.

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

start_one() {
  exec dblock -q --prefix "$prefix" migrate up --allow-tables --lock-timeout 0 --dir "$dir"
}

waits_for_the_table() {
  [ "$(sql "SELECT count(*) FROM information_schema.processlist
    WHERE info LIKE 'ALTER TABLE ${t}_%' AND state LIKE '%metadata lock%'")" = 1 ]
}

is_over() {
  [ "$(sql "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'ALTER TABLE ${t}_%'")" = 0 ]
}

is_carried_out() {
  sql "SELECT c FROM ${t}_busy WHERE 1 = 0" >/dev/null 2>&1
}

@test "a runner that is killed while its ALTER waits for a table: nobody gets past it; then it is in doubt (case 11)" {
  sql "CREATE TABLE ${t}_busy (i INTEGER)"
  in_transaction "SELECT * FROM ${t}_busy"
  up 0001_alter "ALTER TABLE ${t}_busy ADD COLUMN c INTEGER;
CREATE TABLE ${t}_after (i INTEGER);"
  background start_one
  wait_for waits_for_the_table
  kill -KILL "$started"
  ended "$started"
  # Some servers notice at once that the client is gone, and end the ALTER; others let it wait on.
  run --separate-stderr migrate up --wait 1s
  ((status == 5 || status == 6))
  end_transaction
  wait_for is_over
  run -5 --separate-stderr migrate up
  contains "$stderr" "statement 1 of 2"
  contains "$stderr" "repair 1"
  equal "$(states)" "1 in doubt"
  if is_carried_out; then
    run -0 migrate repair 1 --done --yes
  else
    run -0 migrate repair 1 --not-done --yes
  fi
  run -0 --separate-stderr migrate up
  equal "$(states)" "1 applied"
  is_carried_out
}

@test "a file runs with foreign keys and unique keys looked at, also after one that has turned that off" {
  up 0001_tables "CREATE TABLE ${t}_parent (i INTEGER PRIMARY KEY);
CREATE TABLE ${t}_child (p INTEGER, FOREIGN KEY (p) REFERENCES ${t}_parent (i));
SET foreign_key_checks = 0, unique_checks = 0, sql_mode = 'ANSI_QUOTES', time_zone = '+05:00';"
  up 0002_settings "CREATE TABLE ${t}_settings AS SELECT @@SESSION.foreign_key_checks AS f, @@SESSION.unique_checks AS u,
    @@SESSION.sql_mode = @@GLOBAL.sql_mode AS m, @@SESSION.time_zone = @@GLOBAL.time_zone AS z;"
  up 0003_orphan "INSERT INTO ${t}_child VALUES (7);"
  run -1 --separate-stderr migrate up
  contains "$stderr" "(1452)"
  equal "$(sql "SELECT f, u, m, z FROM ${t}_settings")" $'1\t1\t1\t1'
  equal "$(sql "SELECT count(*) FROM ${t}_child")" 0
}
