#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate plan: it shows what `up` would do, and prints the same as a script.

setup() {
  load migrate
  with_dir
  three
}

# Prints the mode in which `up` would run it: on MySQL a file that does not only change rows is run
# step by step.
mode() {
  case $DBLOCK_TEST_BACKEND in mysql) echo "step by step" ;; *) echo "one transaction" ;; esac
}

@test "plan: order, mode, number of statements, and nothing is done" {
  run -0 --separate-stderr migrate plan
  equal "${lines[0]}" "0001_customer: 1 statement, $(mode)"
  equal "${lines[2]}" "0003_names: 2 statements, one transaction"
  equal "$(states)" "1 pending, 2 pending, 3 pending"
  run -0 migrate plan -n 1
  equal "${#lines[@]}" 1
  run -0 migrate plan --to 2
  equal "${#lines[@]}" 2
  migrate up
  run -0 --separate-stderr migrate plan
  equal "$output" ""
  contains "$stderr" "nothing to do"
}

@test "plan: what costs others something is named with its line" {
  up 0004_index "
CREATE INDEX ${t}_i ON ${t}_customer (name);"
  up 0005_rows "UPDATE ${t}_customer SET name = 'x';"
  run -0 migrate plan
  [[ $output == *"$dir/0004_index.up.sql:2: "*"$dir/0005_rows.up.sql:1: writes every row"* ]]
  migrate_json plan
  equal "$(field migrations '#') $(field migrations 4 statements 0 line)" "5 1"
  contains "$(field migrations 4 statements 0 hint)" "writes every row"
  equal "$(field migrations 2 statements 0 text)" "INSERT INTO ${t}_customer VALUES (1, 'one;')"
  equal "$(field migrations 2 statements 0 hint)" ""
  equal "$(field role) $(field to)" "null 0"
}

@test "4: what up would not do, it does not plan" {
  rm "$dir"/0002_*
  migrate up
  three
  run -4 --separate-stderr migrate plan
  contains "$stderr" 0002_orders
  run -0 migrate plan --allow-out-of-order
  equal "${#lines[@]}" 1
}

@test "--sql: run by the database's own client, it leaves what up leaves" {
  local script=$BATS_TEST_TMPDIR/script
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    up 0004_trigger "CREATE TRIGGER ${t}_t AFTER INSERT ON ${t}_orders BEGIN
  DELETE FROM ${t}_customer WHERE id = 1; DELETE FROM ${t}_customer WHERE id = 2; END;"
    ;;
  postgresql)
    up 0004_function "CREATE FUNCTION ${t}_f() RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN PERFORM 1; PERFORM 2; END \$\$;"
    up 0005_index "-- no-transaction
CREATE INDEX CONCURRENTLY ${t}_i ON ${t}_customer (name);"
    ;;
  mysql)
    up 0004_program "DELIMITER //
CREATE PROCEDURE ${t}_p() BEGIN SELECT 1; SELECT 2; END//
DELIMITER ;"
    ;;
  esac
  migrate plan --sql >"$script"
  client <"$script" >/dev/null
  run -0 --separate-stderr migrate up
  contains "$stderr" "nothing to do"
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 2
  lacks "$(states)" pending
  # The rows are the very same as those of `up`, but for who and when.
  local columns="version, name, kind, state, seq, checksum, token_checksum, steps, step_begun, step_done, prefix_sum, tool"
  local rows by_hand
  by_hand=$(sql "SELECT $columns FROM ${prefix}migration ORDER BY version")
  contains "$(sql "SELECT applied_by FROM ${prefix}migration")" "by hand"
  equal "$(sql "SELECT count(*) FROM ${prefix}migration WHERE finished IS NULL OR finished < started
    OR started < 1700000000000000")" 0
  local s=s$t
  sed -i "s/${t}_/${s}_/g" "$dir"/*.sql
  prefix=s$prefix
  migrate up
  rows=$(sql "SELECT $columns FROM ${prefix}migration ORDER BY version")
  # The name was changed in the file, so the sums differ.
  equal "$(sed -E 's/[0-9a-f]{64}/sum/g' <<<"$rows")" "$(sed -E 's/[0-9a-f]{64}/sum/g' <<<"$by_hand")"
}

@test "--sql: run again, or after somebody else's up, the script fails and changes nothing" {
  local script=$BATS_TEST_TMPDIR/script
  migrate up --to 2
  sql "INSERT INTO ${t}_customer VALUES (1, 'one')"
  # Only its row in the history keeps this from being done twice.
  up 0003_names "UPDATE ${t}_customer SET id = id + 1 WHERE id < 9;"
  migrate plan --sql >"$script"
  migrate up
  run ! client <"$script"
  equal "$(sql "SELECT id FROM ${t}_customer")" 2
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "--sql: a script that stops halfway leaves what up can go on with" {
  local script=$BATS_TEST_TMPDIR/script
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] || two_steps 0004_two "CREATE TABLE ${t}_a (id INTEGER)" "CREATE TABLE ${t}_b (id INTEGER)"
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] && up 0004_two "CREATE TABLE ${t}_a (id INTEGER); CREATE TABLE ${t}_b (id INTEGER)"
  migrate plan --sql >"$script"
  # The cut script has all up to the last statement.
  sed "/CREATE TABLE ${t}_b/,\$d" "$script" >"$script.cut"
  client <"$script.cut" >/dev/null
  run -0 migrate status
  if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
    equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
  else
    # The script had written that it begins the file, so only the person who ran it knows.
    lacks "$(states)" "4 applied"
    [ "$DBLOCK_TEST_BACKEND" = mysql ] && equal "$(states)" "1 applied, 2 applied, 3 applied, 4 in doubt"
    [ "$DBLOCK_TEST_BACKEND" = mysql ] && migrate repair 4 --not-done --yes
  fi
  run -0 migrate up
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 applied"
  sql "SELECT * FROM ${t}_b"
}

@test "--sql: a script that goes on in the middle, run again, fails and changes nothing" {
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || return 0 # a file is never left halfway
  local script=$BATS_TEST_TMPDIR/script
  migrate up --to 2
  sql "INSERT INTO ${t}_customer VALUES (1, 'one')"
  rm "$dir"/0003_*
  two_steps 0003_two "CREATE TABLE ${t}_a (id INTEGER)" "INSERT INTO ${t}_nowhere VALUES (1)"
  run -1 migrate up
  # Only its row in the history keeps this from being done twice.
  two_steps 0003_two "CREATE TABLE ${t}_a (id INTEGER)" "UPDATE ${t}_customer SET id = id + 1 WHERE id < 9"
  migrate plan --sql >"$script"
  client <"$script" >/dev/null
  equal "$(sql "SELECT id FROM ${t}_customer")" 2
  equal "$(states)" "1 applied, 2 applied, 3 applied"
  run ! client <"$script"
  equal "$(sql "SELECT id FROM ${t}_customer")" 2
  # It is refused as well if somebody has said meanwhile that it is undone.
  migrate repair 3 --forget --yes
  run ! client <"$script"
  equal "$(sql "SELECT id FROM ${t}_customer")" 2
  equal "$(states)" "1 applied, 2 applied, 3 pending"
}

@test "--sql --json: the script in the object" {
  migrate_json plan --sql
  contains "$(field migrations 0 script)" "CREATE TABLE ${t}_customer"
}
