#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate up on an application's files: what it does, its messages and exit codes.

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

@test "0: each file is applied once, in order, with a line each; then there is nothing to do" {
  three
  run -0 --separate-stderr migrate up
  equal "${#lines[@]}" 3
  [[ ${lines[0]} =~ ^applied\ 0001_customer\ \(1\ statement,\ [0-9]+\ ms\)$ ]]
  [[ ${lines[2]} =~ ^applied\ 0003_names\ \(2\ statements,\ [0-9]+\ ms\)$ ]]
  equal "$stderr" ""
  run -0 --separate-stderr migrate up
  equal "$output" ""
  contains "$stderr" "nothing to do"
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 2
  run -0 --separate-stderr dblock --prefix "$prefix" -q migrate up --dir "$dir"
  equal "$stderr" ""
}

@test "-q: nothing is said of what is applied and undone" {
  three
  run -0 dblock --prefix "$prefix" -q migrate up --dir "$dir"
  equal "$output" ""
  equal "$(states)" "1 applied, 2 applied, 3 applied"
  run -0 dblock --prefix "$prefix" -q migrate down --dir "$dir"
  equal "$output" ""
  equal "$(states)" "1 applied, 2 applied, 3 pending"
}

@test "--to and -n stop where they are told" {
  three
  run -0 migrate up --to 1
  equal "$(states)" "1 applied, 2 pending, 3 pending"
  run -0 migrate up -n 1
  equal "$(states)" "1 applied, 2 applied, 3 pending"
  run -2 --separate-stderr migrate up --to 9
  contains "$stderr" "no migration 9"
  equal "$(states)" "1 applied, 2 applied, 3 pending"
}

@test "--json: one object, with what was done and how" {
  three
  migrate_json up
  equal "$(field ok) $(field command) $(field scope) $(field role)" "true up app runner"
  equal "$(field dialect) $(field from) $(field to)" "$DBLOCK_TEST_BACKEND 0 3"
  equal "$(field migrations '#') $(field problems '#') $(field error)" "3 0 null"
  equal "$(field migrations 2 name) $(field migrations 2 steps)" "names 2"
  equal "$(field migrations 0 rows) $(field migrations 2 rows)" "0 2"
  equal "$(field migrations 2 checksum)  -" "$(sha256sum <"$dir/0003_names.up.sql")"
  migrate_json up
  equal "$(field role) $(field from) $(field to) $(field migrations '#')" "fast-path 3 3 0"
}

@test "1: a statement that fails: where, what stands, and the next command" {
  three
  up 0004_bad "INSERT INTO ${t}_customer VALUES (3, 'three');

INSERT INTO ${t}_nowhere VALUES (1);"
  run -1 --separate-stderr migrate up
  equal "${#lines[@]}" 3
  contains "$stderr" "$dir/0004_bad.up.sql:3:"
  contains "$stderr" "statement 2 of 2"
  contains "$stderr" ${t}_nowhere
  contains "$stderr" "'dblock migrate up --dir $dir --prefix $prefix'"
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 2
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
  up 0004_bad "INSERT INTO ${t}_customer VALUES (3, 'three');"
  run -0 migrate up
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 3
}

@test "1: the same as JSON" {
  three
  up 0004_bad "INSERT INTO ${t}_customer VALUES (3, 'three');
  INSERT INTO ${t}_nowhere VALUES (1);"
  run -1 --separate-stderr dblock --prefix "$prefix" --json migrate up --dir "$dir"
  equal "${#lines[@]}" 1
  json=$output
  equal "$(field ok) $(field migrations '#') $(field to)" "false 3 3"
  equal "$(field error code) $(field error rolled_back)" "DBLOCK_E_MIGRATION true"
  equal "$(field error file):$(field error line)" "$dir/0004_bad.up.sql:2"
  equal "$(field error version) $(field error step) $(field error steps)" "4 2 2"
}

@test "2: files that are not sound, and nothing is executed" {
  three
  up 0002_second "SELECT 1;"
  run -2 --separate-stderr migrate up
  equal "$output" ""
  contains "$stderr" "0002_"
  rm "$dir/0002_second.up.sql"
  down 0009_alone "SELECT 1;"
  run -2 migrate up
  rm "$dir/0009_alone.down.sql"
  up 0009_quote "SELECT 'open"
  run -2 --separate-stderr migrate up
  contains "$stderr" "0009_quote.up.sql:1:"
  up 0009_quote "-- +goose Up"
  run -2 --separate-stderr migrate up
  contains "$stderr" goose
  rm "$dir/0009_quote.up.sql"
  run -2 dblock --prefix "$prefix" migrate up --dir "$dir/nowhere"
  equal "$(states)" "1 pending, 2 pending, 3 pending"
  run -2 --separate-stderr dblock --prefix "$prefix" --json migrate up --dir "$dir/nowhere"
  json=$output
  equal "$(field ok) $(field error code) $(field from)" "false DBLOCK_E_INVALID null"
}

@test "2: a file that is as \`migrate new\` made it is not taken for one that does nothing" {
  three
  migrate up
  migrate new addresses --seq >/dev/null
  for command in up plan "to 4"; do
    # shellcheck disable=SC2086 # two words
    run -2 --separate-stderr migrate $command
    contains "$stderr" "error: $dir/0004_addresses.up.sql: it is as 'migrate new' made it"
    contains "$stderr" "state: nothing was done"
    contains "$stderr" "next:  write into it what it does"
  done
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
  run -0 migrate verify
  contains "$output" "warning: empty: 0004_addresses: 0004_addresses.up.sql is as"
  run -0 migrate up --to 3
  # One more comment says that it is meant so; it changes nothing of what was applied.
  echo "-- Nothing: that is for the other database." >>"$dir/0004_addresses.up.sql"
  run -0 migrate up
  contains "$output" "applied 0004_addresses (0 statements"
  sed -i 2d "$dir/0004_addresses.up.sql"
  run -0 migrate up
  contains "$output" "nothing to do"
}

@test "4: a file below one that is applied is named, and --allow-out-of-order takes it" {
  three
  rm "$dir"/0002_*
  migrate up
  up 0002_late "INSERT INTO ${t}_customer VALUES (7, 'late');"
  run -4 --separate-stderr migrate up
  contains "$stderr" 0002_late
  contains "$stderr" "--allow-out-of-order"
  equal "$(states)" "1 applied, 2 out of order, 3 applied"
  run -0 migrate up --allow-out-of-order
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "4: a file that was changed, or is gone, after it was applied" {
  three
  migrate up
  up 0001_customer "CREATE TABLE ${t}_customer (id INTEGER PRIMARY KEY);"
  run -4 --separate-stderr migrate up
  contains "$stderr" 0001_customer
  contains "$stderr" "--rechecksum"
  rm "$dir"/0001_*
  run -4 --separate-stderr migrate up
  contains "$stderr" "--allow-missing"
  run -0 migrate up --allow-missing
}

@test "a database that is newer than the files is fine" {
  three
  migrate up
  rm "$dir"/0003_*
  run -0 migrate up
}

@test "two scopes in one database know nothing of each other" {
  three
  migrate up
  local first=$dir
  dir=$BATS_TEST_TMPDIR/other
  mkdir "$dir"
  three u$t
  run -0 dblock --prefix "$prefix" migrate --scope shop --dir "$dir" up
  equal "${#lines[@]}" 3
  equal "$(states --scope shop)" "1 applied, 2 applied, 3 applied"
  dir=$first
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "6: another process is at it for too long; who waits says so, and goes on in time" {
  three
  migrate up --to 2
  occupy ${t}_customer
  if [ "$DBLOCK_TEST_BACKEND" != sqlite ]; then
    background migrate up --lock-timeout 0 >"$BATS_TEST_TMPDIR/first" 2>&1
    wait_for waits
  fi
  local first=$started
  run -6 --separate-stderr migrate up --wait 1500ms
  contains "$stderr" "waiting for another process that is migrating"
  contains "$stderr" "dblock migrate status"
  run -6 --separate-stderr dblock --prefix "$prefix" --json -q migrate up --wait 0 --dir "$dir"
  json=$output
  equal "$(field error code)" DBLOCK_BUSY
  lacks "$stderr" waiting
  background migrate up --wait "$(slowly 100)" >"$BATS_TEST_TMPDIR/second" 2>"$BATS_TEST_TMPDIR/second.err"
  local second=$started
  wait_for grep -q "waiting for" "$BATS_TEST_TMPDIR/second.err"
  vacate
  if [ "$DBLOCK_TEST_BACKEND" != sqlite ]; then
    ended "$first"
    equal "$code" 0
    contains "$(<"$BATS_TEST_TMPDIR/first")" "applied 0003_names"
  fi
  ended "$second"
  equal "$code" 0
}

# Tells whether the process that has the right to migrate has come to the statement that has to
# wait. (InnoDB looks anew only if nobody has asked for a tenth of a second.)
waits() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted")" != 0 ] ;;
  mysql)
    sleep 0.2
    [ "$(sql "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")" != 0 ]
    ;;
  esac
}

@test "TERM stops it before the next statement, with exit code 1" {
  three
  migrate up --to 2
  # The file is held up at its second statement; on SQLite, before the first.
  up 0003_names "INSERT INTO ${t}_orders VALUES (1, 1);
INSERT INTO ${t}_customer VALUES (1, 'one');
INSERT INTO ${t}_orders VALUES (2, 1);"
  rm "$dir/0003_names.down.sql"
  occupy ${t}_customer
  background migrate up --lock-timeout 0 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
  local first=$started
  if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
    wait_for grep -q "waiting for" "$BATS_TEST_TMPDIR/err"
  else
    wait_for waits
  fi
  kill -TERM "$(dblock_of "$first")"
  wait_for grep -q "stopping before the next statement" "$BATS_TEST_TMPDIR/err"
  vacate
  ended "$first"
  equal "$code" 1
  contains "$(<"$BATS_TEST_TMPDIR/err")" "dblock migrate up"
  equal "$(sql "SELECT count(*) FROM ${t}_orders")" 0
  run -0 migrate up
  equal "$(sql "SELECT count(*) FROM ${t}_orders")" 2
}

# `background migrate` starts a shell, whose child is the program.
dblock_of() {
  pgrep -P "$1" -x dblock || echo "$1"
}
