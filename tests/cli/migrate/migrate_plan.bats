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

@test "plan: what a statement does to others is named with its line and its rule" {
  migrate up
  up 0004_rows "
UPDATE ${t}_customer SET name = 'x';"
  up 0005_tables "DROP TABLE ${t}_orders; CREATE TABLE ${t}_new (id INTEGER); DROP TABLE ${t}_new;"
  run -0 migrate plan
  [[ $output == *"$dir/0004_rows.up.sql:2: update-all-rows: writes every row"* ]]
  [[ $output == *"$dir/0005_tables.up.sql:1: drop-table: the rows are lost"* ]]
  equal "${#lines[@]}" 4
  migrate_json plan
  equal "$(field migrations '#') $(field migrations 0 statements 0 line)" "2 2"
  contains "$(field migrations 0 statements 0 hint)" "writes every row"
  equal "$(field migrations 0 statements 0 rule)" update-all-rows
  equal "$(field migrations 1 statements 0 rule) $(field migrations 1 statements 0 severity)" \
    "drop-table loses"
  equal "$(field migrations 1 statements 1 text)" "CREATE TABLE ${t}_new (id INTEGER)"
  equal "$(field migrations 1 statements 1 hint)" ""
  equal "$(field migrations 1 statements 2 rule) $(field migrations 1 statements 2 severity)" \
    "null null"
  equal "$(field role) $(field to)" "null 3"
}

@test "plan: a table that an earlier pending file makes is new, one that is applied is not" {
  up 0004_both "DROP TABLE ${t}_orders;"
  run -0 migrate plan --strict
  lacks "$output" drop-table
  migrate up --to 2
  run -1 --separate-stderr migrate plan --strict
  contains "$output" "0004_both.up.sql:1: drop-table"
}

@test "1: --strict refuses what loses, breaks or blocks something, after all of it was told" {
  migrate up
  up 0004_drop "DROP TABLE ${t}_orders;"
  up 0005_rename "ALTER TABLE ${t}_customer RENAME TO ${t}_client;"
  run -0 migrate plan
  run -1 --separate-stderr migrate plan --strict
  contains "$output" "0005_rename.up.sql:1: rename-breaks"
  equal "${stderr_lines[0]}" "error: 2 statements would lose something, break it or block it, \
the first in $dir/0004_drop.up.sql:1: drop-table"
  equal "${stderr_lines[1]}" "state: nothing was done"
  contains "$stderr" "-- dblock:allow RULE reason"
  migrate_json plan --strict || equal $? 1
  equal "$(field ok) $(field migrations '#') $(field error line)" "false 2 null"
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending, 5 pending"
}

@test "--strict: what is allowed right above a statement, with a reason, is fine" {
  migrate up
  up 0004_drop "-- dblock:allow drop-table nobody asks for it since 2.1
DROP TABLE ${t}_orders;"
  run -0 migrate plan --strict
  equal "${#lines[@]}" 1
  up 0004_drop "-- dblock:allow rename-breaks nobody asks for it since 2.1
DROP TABLE ${t}_orders;"
  run -1 migrate plan --strict
  up 0004_drop "-- dblock:allow drop-tables nobody asks for it since 2.1
DROP TABLE ${t}_orders;"
  run -2 migrate plan
  contains "$output" "0004_drop.up.sql:1:1: '-- dblock:allow drop-tables"
  contains "$output" "there is no such rule"
  up 0004_drop "DROP TABLE ${t}_orders;
-- dblock:allow drop-table"
  run -2 migrate up
  contains "$output" "0004_drop.up.sql:2:1: "
  contains "$output" "say which rule and why"
}

@test "--strict: what waits, and what is done already, is no reason" {
  up 0001_customer "CREATE TABLE ${t}_customer (id INTEGER PRIMARY KEY, name VARCHAR(80));
CREATE INDEX ${t}_i ON ${t}_customer (name);"
  migrate up
  case $DBLOCK_TEST_BACKEND in
  postgresql) up 0004_waits "DROP INDEX ${t}_i;" ;;
  sqlite) up 0004_waits "UPDATE ${t}_customer SET name = 'x';" ;;
  mysql) up 0004_waits "OPTIMIZE TABLE ${t}_customer;" ;;
  esac
  run -0 migrate plan --strict
  equal "${#lines[@]}" 2
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || return 0 # a file is never left halfway
  two_steps 0005_two "DELETE FROM ${t}_orders" "INSERT INTO ${t}_nowhere VALUES (1)"
  run -1 migrate plan --strict
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || return 0 # there it is one transaction
  run -1 migrate up
  two_steps 0005_two "DELETE FROM ${t}_orders" "SELECT 1"
  run -0 migrate plan --strict
  lacks "$output" delete-all-rows
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
